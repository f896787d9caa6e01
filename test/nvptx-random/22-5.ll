; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table0 = dso_local local_unnamed_addr addrspace(4) externally_initialized constant [8 x i16] [i16 0, i16 -30260, i16 0, i16 12010, i16 127, i16 -1, i16 -1, i16 255], align 2
@table1 = dso_local local_unnamed_addr addrspace(4) externally_initialized constant [8 x i16] [i16 99, i16 -30188, i16 41, i16 -1, i16 -1, i16 -1, i16 0, i16 2], align 2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 4294967296) i64 @_Z6numberf(float noundef %0) local_unnamed_addr #0 !dbg !12 {
  %2 = fcmp uno float %0, 0.000000e+00, !dbg !16
  %3 = bitcast float %0 to i32, !dbg !17
  %4 = zext i32 %3 to i64, !dbg !17
  %5 = select i1 %2, i64 2143289344, i64 %4, !dbg !17
  ret i64 %5, !dbg !18
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef i64 @_Z6numberd(double noundef %0) local_unnamed_addr #0 !dbg !19 {
  %2 = fcmp uno double %0, 0.000000e+00, !dbg !20
  %3 = bitcast double %0 to i64, !dbg !21
  %4 = select i1 %2, i64 9221120237041090560, i64 %3, !dbg !21
  ret i64 %4, !dbg !22
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z6numberDF16_(half noundef %0) local_unnamed_addr #0 !dbg !23 {
  %2 = fcmp uno half %0, 0xH0000, !dbg !24
  %3 = bitcast half %0 to i16, !dbg !25
  %4 = zext i16 %3 to i64, !dbg !25
  %5 = select i1 %2, i64 32256, i64 %4, !dbg !25
  ret i64 %5, !dbg !26
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #1 !dbg !27 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !28
  %4 = and i32 %3, 31, !dbg !29
  %5 = zext nneg i32 %4 to i64, !dbg !30
  %6 = getelementptr inbounds nuw i64, ptr %0, i64 %5, !dbg !30
  %7 = load i64, ptr %6, align 8, !dbg !31, !tbaa !32
  %8 = lshr i64 %7, 28, !dbg !34
  %9 = trunc i64 %8 to i32, !dbg !35
  %10 = sitofp i32 %9 to half, !dbg !36
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 32, !dbg !37
  %12 = load i64, ptr %11, align 8, !dbg !37, !tbaa !32
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 64, !dbg !38
  %14 = load i64, ptr %13, align 8, !dbg !38, !tbaa !32
  %15 = trunc i64 %14 to i32, !dbg !38
  %16 = getelementptr inbounds nuw i8, ptr %6, i64 96, !dbg !39
  %17 = load i64, ptr %16, align 8, !dbg !39, !tbaa !32
  %18 = shl i64 %14, 32, !dbg !40
  %19 = ashr exact i64 %18, 32, !dbg !40
  %20 = xor i32 %15, -1, !dbg !41
  %21 = insertelement <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>, i32 %20, i64 1, !dbg !42
  %22 = icmp ne i64 %17, 0, !dbg !43
  %23 = icmp ne i32 %15, 0, !dbg !44
  %24 = select i1 %22, i1 %23, i1 false, !dbg !44
  %25 = zext i1 %24 to i32, !dbg !45
  %26 = insertelement <4 x i32> %21, i32 %25, i64 2, !dbg !42
  %27 = tail call half @llvm.fabs.f16(half %10), !dbg !46
  %28 = fcmp olt half %27, 0xH7753, !dbg !46
  %29 = fptosi half %10 to i16, !dbg !46
  %30 = ashr i16 %29, 8, !dbg !49
  %31 = sext i16 %30 to i32, !dbg !50
  %32 = select i1 %28, i32 %31, i32 0, !dbg !46
  %33 = insertelement <4 x i32> %26, i32 %32, i64 3, !dbg !42
  %34 = zext i1 %22 to i64, !dbg !51
  %35 = trunc i64 %14 to i16, !dbg !52
  %36 = tail call i16 @llvm.fshl.i16(i16 %35, i16 %35, i16 %35), !dbg !53
  %37 = sext i16 %36 to i64, !dbg !54
  %38 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %37), !dbg !55
  %39 = icmp eq i64 %38, %34, !dbg !56
  %40 = trunc i64 %17 to i32, !dbg !57
  %41 = select i1 %39, i32 2, i32 %40, !dbg !58
  %42 = fcmp olt half %27, 0xH7B53
  %43 = fptoui half %27 to i64, !dbg !59
  %44 = select i1 %42, i64 %43, i64 1, !dbg !59
  %45 = tail call i64 @llvm.fshr.i64(i64 %19, i64 %19, i64 %44), !dbg !62
  %46 = trunc i64 %45 to i32, !dbg !63
  %47 = and i32 %46, 3, !dbg !64
  %48 = insertelement <4 x i32> zeroinitializer, i32 %41, i32 %47, !dbg !65
  %49 = tail call <4 x i32> @llvm.smin.v4i32(<4 x i32> %48, <4 x i32> %33), !dbg !66
  %50 = extractelement <4 x i32> %49, i64 1, !dbg !67
  %51 = sub nsw i64 0, %44, !dbg !68
  %52 = uitofp i64 %51 to half, !dbg !69
  %53 = and i32 %50, 31, !dbg !70
  %54 = lshr i32 2, %53, !dbg !71
  %55 = uitofp nneg i32 %54 to half, !dbg !72
  %56 = fsub half %52, %55, !dbg !73
  %57 = tail call half @llvm.fabs.f16(half %56), !dbg !74
  %58 = fcmp olt half %57, 0xH7B53, !dbg !75
  %59 = fptoui half %57 to i32, !dbg !75
  %60 = select i1 %58, i32 %59, i32 1, !dbg !75
  %61 = icmp sgt i32 %50, 127, !dbg !78
  %62 = zext i1 %61 to i32, !dbg !79
  %63 = or i32 %60, %62, !dbg !80
  %64 = bitcast half %10 to i16, !dbg !81
  %65 = zext i16 %64 to i64, !dbg !81
  %66 = shl nuw nsw i32 %3, 3, !dbg !83
  %67 = zext nneg i32 %66 to i64, !dbg !84
  %68 = getelementptr inbounds nuw i64, ptr %1, i64 %67, !dbg !84
  store i64 %65, ptr %68, align 8, !dbg !85, !tbaa !32
  %69 = getelementptr inbounds nuw i8, ptr %68, i64 8, !dbg !86
  store i64 %12, ptr %69, align 8, !dbg !87, !tbaa !32
  %70 = getelementptr inbounds nuw i8, ptr %68, i64 16, !dbg !88
  store i64 %19, ptr %70, align 8, !dbg !89, !tbaa !32
  %71 = zext i32 %63 to i64, !dbg !90
  %72 = getelementptr inbounds nuw i8, ptr %68, i64 24, !dbg !93
  store i64 %71, ptr %72, align 8, !dbg !94, !tbaa !32
  %73 = sext i32 %50 to i64, !dbg !95
  %74 = getelementptr inbounds nuw i8, ptr %68, i64 32, !dbg !98
  store i64 %73, ptr %74, align 8, !dbg !99, !tbaa !32
  %75 = getelementptr inbounds nuw i8, ptr %68, i64 40, !dbg !100
  store i64 47, ptr %75, align 8, !dbg !101, !tbaa !32
  %76 = getelementptr inbounds nuw i8, ptr %68, i64 48, !dbg !102
  store i64 0, ptr %76, align 8, !dbg !103, !tbaa !32
  %77 = xor i64 %71, -1, !dbg !104
  %78 = shl i64 %77, 56, !dbg !105
  %79 = ashr exact i64 %78, 56, !dbg !105
  %80 = getelementptr inbounds nuw i8, ptr %68, i64 56, !dbg !108
  store i64 %79, ptr %80, align 8, !dbg !109, !tbaa !32
  ret void, !dbg !110
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fshl.i16(i16, i16, i16) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshr.i64(i64, i64, i64) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fabs.f16(half) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x i32> @llvm.smin.v4i32(<4 x i32>, <4 x i32>) #4

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6}
!llvm.ident = !{!7}
!llvm.errno.tbaa = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C++ TBAA"}
!12 = distinct !DISubprogram(name: "number", scope: !13, file: !13, line: 17, type: !14, scopeLine: 17, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!13 = !DIFile(filename: "k.cu", directory: "")
!14 = !DISubroutineType(types: !15)
!15 = !{}
!16 = !DILocation(line: 17, column: 43, scope: !12)
!17 = !DILocation(line: 17, column: 41, scope: !12)
!18 = !DILocation(line: 17, column: 34, scope: !12)
!19 = distinct !DISubprogram(name: "number", scope: !13, file: !13, line: 18, type: !14, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!20 = !DILocation(line: 18, column: 44, scope: !19)
!21 = !DILocation(line: 18, column: 42, scope: !19)
!22 = !DILocation(line: 18, column: 35, scope: !19)
!23 = distinct !DISubprogram(name: "number", scope: !13, file: !13, line: 19, type: !14, scopeLine: 19, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!24 = !DILocation(line: 19, column: 42, scope: !23)
!25 = !DILocation(line: 19, column: 40, scope: !23)
!26 = !DILocation(line: 19, column: 33, scope: !23)
!27 = distinct !DISubprogram(name: "k", scope: !13, file: !13, line: 24, type: !14, scopeLine: 24, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!28 = !DILocation(line: 25, column: 13, scope: !27)
!29 = !DILocation(line: 26, column: 31, scope: !27)
!30 = !DILocation(line: 26, column: 24, scope: !27)
!31 = !DILocation(line: 27, column: 25, scope: !27)
!32 = !{!33, !33, i64 0}
!33 = !{!"long long", !10, i64 0}
!34 = !DILocation(line: 27, column: 33, scope: !27)
!35 = !DILocation(line: 27, column: 24, scope: !27)
!36 = !DILocation(line: 27, column: 19, scope: !27)
!37 = !DILocation(line: 28, column: 19, scope: !27)
!38 = !DILocation(line: 29, column: 17, scope: !27)
!39 = !DILocation(line: 30, column: 19, scope: !27)
!40 = !DILocation(line: 31, column: 87, scope: !27)
!41 = !DILocation(line: 31, column: 73, scope: !27)
!42 = !DILocation(line: 31, column: 15, scope: !27)
!43 = !DILocation(line: 31, column: 109, scope: !27)
!44 = !DILocation(line: 31, column: 113, scope: !27)
!45 = !DILocation(line: 31, column: 101, scope: !27)
!46 = !DILocation(line: 16, column: 82, scope: !47, inlinedAt: !48)
!47 = distinct !DISubprogram(name: "whole<short, _Float16>", scope: !13, file: !13, line: 16, type: !14, scopeLine: 16, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!48 = distinct !DILocation(line: 31, column: 143, scope: !27)
!49 = !DILocation(line: 31, column: 171, scope: !27)
!50 = !DILocation(line: 31, column: 136, scope: !27)
!51 = !DILocation(line: 32, column: 153, scope: !27)
!52 = !DILocation(line: 32, column: 286, scope: !27)
!53 = !DILocation(line: 32, column: 252, scope: !27)
!54 = !DILocation(line: 32, column: 239, scope: !27)
!55 = !DILocation(line: 32, column: 213, scope: !27)
!56 = !DILocation(line: 32, column: 197, scope: !27)
!57 = !DILocation(line: 32, column: 145, scope: !27)
!58 = !DILocation(line: 32, column: 146, scope: !27)
!59 = !DILocation(line: 16, column: 82, scope: !60, inlinedAt: !61)
!60 = distinct !DISubprogram(name: "whole<unsigned long long, _Float16>", scope: !13, file: !13, line: 16, type: !14, scopeLine: 16, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!61 = distinct !DILocation(line: 32, column: 69, scope: !27)
!62 = !DILocation(line: 32, column: 24, scope: !27)
!63 = !DILocation(line: 32, column: 18, scope: !27)
!64 = !DILocation(line: 32, column: 130, scope: !27)
!65 = !DILocation(line: 32, column: 137, scope: !27)
!66 = !DILocation(line: 33, column: 8, scope: !27)
!67 = !DILocation(line: 34, column: 35, scope: !27)
!68 = !DILocation(line: 42, column: 91, scope: !27)
!69 = !DILocation(line: 42, column: 84, scope: !27)
!70 = !DILocation(line: 42, column: 207, scope: !27)
!71 = !DILocation(line: 42, column: 184, scope: !27)
!72 = !DILocation(line: 42, column: 162, scope: !27)
!73 = !DILocation(line: 42, column: 153, scope: !27)
!74 = !DILocation(line: 42, column: 39, scope: !27)
!75 = !DILocation(line: 16, column: 82, scope: !76, inlinedAt: !77)
!76 = distinct !DISubprogram(name: "whole<unsigned int, _Float16>", scope: !13, file: !13, line: 16, type: !14, scopeLine: 16, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!77 = distinct !DILocation(line: 42, column: 22, scope: !27)
!78 = !DILocation(line: 42, column: 257, scope: !27)
!79 = !DILocation(line: 42, column: 243, scope: !27)
!80 = !DILocation(line: 42, column: 235, scope: !27)
!81 = !DILocation(line: 19, column: 40, scope: !23, inlinedAt: !82)
!82 = distinct !DILocation(line: 43, column: 22, scope: !27)
!83 = !DILocation(line: 43, column: 11, scope: !27)
!84 = !DILocation(line: 43, column: 3, scope: !27)
!85 = !DILocation(line: 43, column: 20, scope: !27)
!86 = !DILocation(line: 44, column: 3, scope: !27)
!87 = !DILocation(line: 44, column: 20, scope: !27)
!88 = !DILocation(line: 45, column: 3, scope: !27)
!89 = !DILocation(line: 45, column: 20, scope: !27)
!90 = !DILocation(line: 20, column: 79, scope: !91, inlinedAt: !92)
!91 = distinct !DISubprogram(name: "number<unsigned __int128>", scope: !13, file: !13, line: 20, type: !14, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!92 = distinct !DILocation(line: 46, column: 22, scope: !27)
!93 = !DILocation(line: 46, column: 3, scope: !27)
!94 = !DILocation(line: 46, column: 20, scope: !27)
!95 = !DILocation(line: 20, column: 125, scope: !96, inlinedAt: !97)
!96 = distinct !DISubprogram(name: "number<int>", scope: !13, file: !13, line: 20, type: !14, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!97 = distinct !DILocation(line: 47, column: 22, scope: !27)
!98 = !DILocation(line: 47, column: 3, scope: !27)
!99 = !DILocation(line: 47, column: 20, scope: !27)
!100 = !DILocation(line: 48, column: 3, scope: !27)
!101 = !DILocation(line: 48, column: 20, scope: !27)
!102 = !DILocation(line: 49, column: 3, scope: !27)
!103 = !DILocation(line: 49, column: 20, scope: !27)
!104 = !DILocation(line: 50, column: 40, scope: !27)
!105 = !DILocation(line: 20, column: 125, scope: !106, inlinedAt: !107)
!106 = distinct !DISubprogram(name: "number<signed char>", scope: !13, file: !13, line: 20, type: !14, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!107 = distinct !DILocation(line: 50, column: 22, scope: !27)
!108 = !DILocation(line: 50, column: 3, scope: !27)
!109 = !DILocation(line: 50, column: 20, scope: !27)
!110 = !DILocation(line: 51, column: 1, scope: !27)
