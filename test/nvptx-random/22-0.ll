; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table1 = dso_local local_unnamed_addr addrspace(4) externally_initialized constant [8 x i8] c"\80\FA\10!\02\02\00\00", align 1

; Function Attrs: mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none)
define dso_local noundef range(i64 0, 4294967296) i64 @_Z6numberf(float noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno float %0, 0.000000e+00
  %3 = bitcast float %0 to i32
  %4 = zext i32 %3 to i64
  %5 = select i1 %2, i64 2143289344, i64 %4
  ret i64 %5
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none)
define dso_local noundef i64 @_Z6numberd(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno double %0, 0.000000e+00
  %3 = bitcast double %0 to i64
  %4 = select i1 %2, i64 9221120237041090560, i64 %3
  ret i64 %4
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z6numberDF16_(half noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno half %0, 0xH0000
  %3 = bitcast half %0 to i16
  %4 = zext i16 %3 to i64
  %5 = select i1 %2, i64 32256, i64 %4
  ret i64 %5
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @k(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #1 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 31
  %5 = zext nneg i32 %4 to i64
  %6 = getelementptr inbounds nuw i64, ptr %0, i64 %5
  %7 = load i64, ptr %6, align 8, !tbaa !8
  %8 = lshr i64 %7, 2
  %9 = trunc i64 %8 to i32
  %10 = sitofp i32 %9 to float
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 32
  %12 = load i64, ptr %11, align 8, !tbaa !8
  %13 = getelementptr inbounds nuw i8, ptr %6, i64 64
  %14 = load i64, ptr %13, align 8, !tbaa !8
  %15 = lshr i64 %14, 1
  %16 = trunc i64 %15 to i32
  %17 = sitofp i32 %16 to float
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 96
  %19 = load i64, ptr %18, align 8, !tbaa !8
  %20 = getelementptr inbounds nuw i8, ptr %6, i64 128
  %21 = load i64, ptr %20, align 8, !tbaa !8
  %22 = trunc i64 %21 to i32
  %23 = getelementptr inbounds nuw i8, ptr %6, i64 160
  %24 = load i64, ptr %23, align 8, !tbaa !8
  %25 = tail call float @llvm.fabs.f32(float %10)
  %26 = fcmp olt float %25, 3.000000e+04
  %27 = fptoui float %25 to i16
  %28 = add i16 %27, 1
  %29 = icmp ult i16 %28, 2
  %30 = select i1 %26, i1 %29, i1 false
  %31 = select i1 %30, i16 %27, i16 1
  %32 = zext i16 %31 to i32
  %33 = fpext float %17 to double
  %34 = sitofp i32 %22 to double
  %35 = tail call double @llvm.minnum.f64(double %33, double %34)
  %36 = tail call double @llvm.fabs.f64(double %35)
  %37 = fcmp olt double %36, 1.200000e+02
  %38 = fptosi double %35 to i8
  %39 = select i1 %37, i8 %38, i8 1
  %40 = insertelement <4 x i8> poison, i8 %39, i64 0
  %41 = trunc i64 %12 to i8
  %42 = insertelement <4 x i8> %40, i8 %41, i64 1
  %43 = add i32 %9, 29999
  %44 = icmp ult i32 %43, 59999
  %45 = trunc i64 %8 to i8
  %46 = select i1 %44, i8 %45, i8 1
  %47 = sub i8 0, %46
  %48 = insertelement <4 x i8> %42, i8 %47, i64 2
  %49 = zext i16 %31 to i128
  %50 = tail call float @llvm.fabs.f32(float %17)
  %51 = fcmp olt float %50, 2.000000e+09
  %52 = fptosi float %17 to i64
  %53 = sext i64 %52 to i128
  %54 = select i1 %51, i128 %53, i128 1
  %55 = icmp ne i128 %54, %49
  %56 = zext i1 %55 to i8
  %57 = insertelement <4 x i8> %48, i8 %56, i64 3
  %58 = tail call <4 x i8> @llvm.smin.v4i8(<4 x i8> %57, <4 x i8> zeroinitializer)
  %59 = extractelement <4 x i8> %58, i64 2
  %60 = uitofp i8 %59 to float
  %61 = tail call i32 @llvm.fshr.i32(i32 %32, i32 %32, i32 %22)
  %62 = uitofp i32 %61 to double
  %63 = sitofp i64 %24 to double
  %64 = fcmp oeq double %62, %63
  %65 = uitofp i1 %64 to float
  %66 = and i64 %24, 255
  %67 = tail call range(i64 0, 9) i64 @llvm.ctpop.i64(i64 %66)
  %68 = trunc nuw nsw i64 %67 to i8
  %69 = uitofp nneg i8 %68 to float
  %70 = tail call float @llvm.fma.f32(float %60, float %65, float %69)
  %71 = zext i16 %31 to i64
  %72 = tail call float @llvm.fabs.f32(float %70)
  %73 = fcmp olt float %72, 2.000000e+09
  %74 = fptoui float %72 to i64
  %75 = select i1 %73, i64 %74, i64 1
  %76 = tail call i64 @llvm.umin.i64(i64 %75, i64 %71)
  %77 = uitofp nneg i64 %76 to double
  %78 = tail call double @llvm.fma.f64(double 1.230000e+02, double 0x41DFFFFFFFC00000, double %77)
  %79 = tail call double @llvm.fabs.f64(double %78)
  %80 = fcmp olt double %79, 1.200000e+02
  %81 = fptoui double %79 to i8
  %82 = select i1 %80, i8 %81, i8 1
  %83 = sext i8 %59 to i16
  %84 = tail call i16 @llvm.fshl.i16(i16 %83, i16 %83, i16 7)
  %85 = icmp ult i16 %84, 120
  %86 = trunc i16 %84 to i8
  %87 = select i1 %85, i8 %86, i8 1
  %88 = tail call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %82, i8 %87)
  %89 = extractvalue { i8, i1 } %88, 1
  %90 = extractvalue { i8, i1 } %88, 0
  %91 = zext i1 %89 to i8
  %92 = xor i8 %90, %91
  %93 = zext i8 %92 to i64
  %94 = bitcast float %10 to i32
  %95 = zext i32 %94 to i64
  %96 = shl nuw nsw i32 %3, 3
  %97 = zext nneg i32 %96 to i64
  %98 = getelementptr inbounds nuw i64, ptr %1, i64 %97
  store i64 %95, ptr %98, align 8, !tbaa !8
  %99 = getelementptr inbounds nuw i8, ptr %98, i64 8
  store i64 %12, ptr %99, align 8, !tbaa !8
  %100 = fcmp uno float %70, 0.000000e+00
  %101 = bitcast float %70 to i32
  %102 = zext i32 %101 to i64
  %103 = select i1 %100, i64 2143289344, i64 %102
  %104 = getelementptr inbounds nuw i8, ptr %98, i64 16
  store i64 %103, ptr %104, align 8, !tbaa !8
  %105 = and i64 %19, 255
  %106 = getelementptr inbounds nuw i8, ptr %98, i64 24
  store i64 %105, ptr %106, align 8, !tbaa !8
  %107 = shl i64 %21, 32
  %108 = ashr exact i64 %107, 32
  %109 = getelementptr inbounds nuw i8, ptr %98, i64 32
  store i64 %108, ptr %109, align 8, !tbaa !8
  %110 = getelementptr inbounds nuw i8, ptr %98, i64 40
  store i64 %93, ptr %110, align 8, !tbaa !8
  %111 = getelementptr inbounds nuw i8, ptr %98, i64 48
  store i64 %71, ptr %111, align 8, !tbaa !8
  %112 = sext i8 %59 to i64
  %113 = getelementptr inbounds nuw i8, ptr %98, i64 56
  store i64 %112, ptr %113, align 8, !tbaa !8
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.minnum.f64(double, double) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshr.i32(i32, i32, i32) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i8, i1 } @llvm.uadd.with.overflow.i8(i8, i8) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x i8> @llvm.smin.v4i8(<4 x i8>, <4 x i8>) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fshl.i16(i16, i16, i16) #4

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"long long", !6, i64 0}
