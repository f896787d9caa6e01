; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table0 = dso_local addrspace(1) externally_initialized global [8 x i16] [i16 127, i16 23019, i16 2, i16 -1, i16 -1, i16 821, i16 2908, i16 127], align 2
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @table0 to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 4294967296) i64 @_Z6numberf(float noundef %0) local_unnamed_addr #0 !dbg !9 {
  %2 = fcmp uno float %0, 0.000000e+00, !dbg !13
  %3 = bitcast float %0 to i32, !dbg !14
  %4 = zext i32 %3 to i64, !dbg !14
  %5 = select i1 %2, i64 2143289344, i64 %4, !dbg !14
  ret i64 %5, !dbg !15
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef i64 @_Z6numberd(double noundef %0) local_unnamed_addr #0 !dbg !16 {
  %2 = fcmp uno double %0, 0.000000e+00, !dbg !17
  %3 = bitcast double %0 to i64, !dbg !18
  %4 = select i1 %2, i64 9221120237041090560, i64 %3, !dbg !18
  ret i64 %4, !dbg !19
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z6numberDF16_(half noundef %0) local_unnamed_addr #0 !dbg !20 {
  %2 = fcmp uno half %0, 0xH0000, !dbg !21
  %3 = bitcast half %0 to i16, !dbg !22
  %4 = zext i16 %3 to i64, !dbg !22
  %5 = select i1 %2, i64 32256, i64 %4, !dbg !22
  ret i64 %5, !dbg !23
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(write, argmem: readwrite, inaccessiblemem: none)
define dso_local void @k(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #1 !dbg !24 {
  %3 = alloca [4 x i8], align 1
  %4 = alloca [4 x i8], align 1
  %5 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !25
  %6 = and i32 %5, 31, !dbg !26
  %7 = zext nneg i32 %6 to i64, !dbg !27
  %8 = getelementptr i64, ptr %0, i64 %7, !dbg !27
  %9 = load i64, ptr %8, align 8, !dbg !28, !tbaa !29
  %10 = icmp ne i64 %9, 0, !dbg !28
  %11 = getelementptr i8, ptr %8, i64 32, !dbg !33
  %12 = load i64, ptr %11, align 8, !dbg !33, !tbaa !29
  %13 = trunc i64 %12 to i16, !dbg !33
  %14 = getelementptr i8, ptr %8, i64 64, !dbg !34
  %15 = load i64, ptr %14, align 8, !dbg !34, !tbaa !29
  %16 = trunc i64 %15 to i8, !dbg !34
  %17 = getelementptr i8, ptr %8, i64 96, !dbg !35
  %18 = load i64, ptr %17, align 8, !dbg !35, !tbaa !29
  %19 = zext i64 %18 to i128, !dbg !35
  %20 = getelementptr i8, ptr %8, i64 128, !dbg !36
  %21 = load i64, ptr %20, align 8, !dbg !36, !tbaa !29
  %22 = trunc i64 %21 to i8, !dbg !36
  %23 = getelementptr i8, ptr %8, i64 160, !dbg !37
  %24 = load i64, ptr %23, align 8, !dbg !37, !tbaa !29
  %25 = trunc i64 %24 to i8, !dbg !37
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3) #5, !dbg !38
  %26 = getelementptr inbounds i8, ptr %3, i64 1, !dbg !39
  %27 = icmp ne i8 %22, 0, !dbg !40
  %28 = xor i1 %27, true, !dbg !41
  %29 = zext i1 %28 to i8, !dbg !42
  store i8 %29, ptr %26, align 1, !dbg !39, !tbaa !43
  %30 = getelementptr inbounds i8, ptr %3, i64 2, !dbg !39
  %31 = and i64 %24, 255, !dbg !44
  %32 = zext nneg i64 %31 to i128, !dbg !44
  %33 = or i8 %25, 71, !dbg !45
  store i8 %33, ptr %30, align 1, !dbg !39, !tbaa !43
  %34 = getelementptr inbounds i8, ptr %3, i64 3, !dbg !39
  %35 = sext i16 %13 to i128, !dbg !46
  %36 = add nsw i128 %19, %35, !dbg !47
  %37 = trunc i128 %36 to i8, !dbg !48
  store i8 %37, ptr %34, align 1, !dbg !39, !tbaa !43
  %38 = sext i8 %22 to i16, !dbg !49
  %39 = urem i16 %38, 174, !dbg !50
  %40 = zext nneg i16 %39 to i32, !dbg !53
  %41 = sext i8 %22 to i128, !dbg !54
  %42 = sext i8 %16 to i128, !dbg !55
  %43 = add nsw i128 %42, 1, !dbg !56
  %44 = icmp ult i128 %43, 2, !dbg !56
  %45 = sext i8 %22 to i32, !dbg !56
  br i1 %44, label %49, label %46, !dbg !56

46:                                               ; preds = %2
  %47 = udiv i128 %41, %42, !dbg !59
  %48 = trunc i128 %47 to i32, !dbg !60
  br label %49, !dbg !60

49:                                               ; preds = %2, %46
  %50 = phi i32 [ %48, %46 ], [ %45, %2 ]
  %51 = and i32 %50, 255, !dbg !61
  %52 = icmp ne i32 %51, %40, !dbg !62
  %53 = zext i1 %52 to i8, !dbg !63
  store i8 %53, ptr %3, align 1, !dbg !64, !tbaa !43
  %54 = and i64 %15, 3, !dbg !65
  %55 = and i64 %54, %24, !dbg !66
  %56 = getelementptr [4 x i8], ptr %3, i64 0, i64 %55, !dbg !67
  %57 = load i8, ptr %56, align 1, !dbg !67, !tbaa !43
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3) #5, !dbg !68
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4) #5, !dbg !69
  %58 = icmp ne i64 %18, 0, !dbg !70
  %59 = zext i1 %58 to i8, !dbg !71
  store i8 %59, ptr %4, align 1, !dbg !72, !tbaa !43
  %60 = getelementptr inbounds i8, ptr %4, i64 1, !dbg !72
  store i8 1, ptr %60, align 1, !dbg !72, !tbaa !43
  %61 = getelementptr inbounds i8, ptr %4, i64 2, !dbg !72
  store i8 33, ptr %61, align 1, !dbg !72, !tbaa !43
  %62 = getelementptr inbounds i8, ptr %4, i64 3, !dbg !72
  %63 = zext i1 %10 to i32, !dbg !73
  %64 = tail call { i64, i1 } @llvm.ssub.with.overflow.i64(i64 2, i64 %18), !dbg !74
  %65 = extractvalue { i64, i1 } %64, 1, !dbg !74
  %66 = extractvalue { i64, i1 } %64, 0, !dbg !74
  %67 = zext i1 %65 to i64, !dbg !75
  %68 = xor i64 %66, %67, !dbg !76
  %69 = trunc i64 %68 to i8, !dbg !77
  %70 = and i8 %57, 63, !dbg !78
  %71 = zext nneg i8 %70 to i64, !dbg !79
  %72 = lshr i64 310336583, %71, !dbg !79
  %73 = trunc i64 %72 to i8, !dbg !80
  %74 = mul i8 %73, %69, !dbg !81
  store i8 %74, ptr %62, align 1, !dbg !82, !tbaa !43
  %75 = and i32 %45, 3, !dbg !83
  %76 = zext nneg i32 %75 to i64, !dbg !84
  %77 = getelementptr [4 x i8], ptr %4, i64 0, i64 %76, !dbg !84
  %78 = load i8, ptr %77, align 1, !dbg !84, !tbaa !43
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4) #5, !dbg !85
  %79 = lshr i8 %22, 1, !dbg !86
  %80 = icmp ne i8 %57, 0, !dbg !87
  %81 = icmp eq i16 %13, 0, !dbg !88
  %82 = xor i1 %81, %80, !dbg !88
  %83 = and i8 %79, 1, !dbg !89
  %84 = zext nneg i8 %83 to i32, !dbg !90
  %85 = select i1 %82, i32 %84, i32 0, !dbg !90
  %86 = zext i16 %38 to i32, !dbg !91
  %87 = icmp ult i32 %85, %86, !dbg !92
  %88 = trunc i64 %24 to i16, !dbg !93
  %89 = select i1 %87, i16 %88, i16 %13, !dbg !93
  %90 = zext i16 %89 to i32, !dbg !94
  %91 = select i1 %10, i32 8, i32 0, !dbg !95
  %92 = and i32 %91, %90, !dbg !96
  %93 = tail call i128 @llvm.umin.i128(i128 %41, i128 %32), !dbg !97
  %94 = trunc nuw i128 %93 to i8, !dbg !98
  %95 = shl i64 %21, 56, !dbg !99
  %96 = ashr exact i64 %95, 56, !dbg !99
  %97 = and i64 %96, %18, !dbg !99
  %98 = tail call range(i64 0, 9) i64 @llvm.ctpop.i64(i64 %31), !dbg !100
  %99 = icmp eq i64 %97, %98, !dbg !101
  %100 = zext i1 %10 to i8, !dbg !102
  %101 = select i1 %99, i8 %100, i8 23, !dbg !102
  %102 = trunc nuw nsw i128 %93 to i32, !dbg !103
  %103 = zext nneg i8 %101 to i32, !dbg !104
  %104 = icmp ult i32 %102, %103, !dbg !105
  %105 = select i1 %104, i8 %94, i8 %101, !dbg !103
  %106 = zext i8 %105 to i32, !dbg !106
  %107 = icmp eq i32 %92, %106, !dbg !106
  br i1 %107, label %110, label %108, !dbg !107

108:                                              ; preds = %49
  %109 = zext i1 %27 to i32, !dbg !108
  br label %161, !dbg !107

110:                                              ; preds = %49
  %111 = icmp sgt i8 %78, 0, !dbg !109
  br i1 %111, label %112, label %161, !dbg !110

112:                                              ; preds = %110
  %113 = zext nneg i8 %78 to i64, !dbg !111
  %114 = tail call i64 @llvm.fshl.i64(i64 %113, i64 %113, i64 %18), !dbg !112
  %115 = trunc i64 %114 to i32, !dbg !113
  %116 = shl i32 %115, 16, !dbg !114
  %117 = trunc i64 %18 to i32, !dbg !115
  %118 = shl i32 %117, 16, !dbg !116
  %119 = icmp sgt i32 %116, %118, !dbg !117
  br i1 %119, label %153, label %120, !dbg !118

120:                                              ; preds = %112
  %121 = icmp eq i8 %25, 0, !dbg !119
  %122 = or i1 %10, %121, !dbg !120
  br i1 %122, label %126, label %123, !dbg !121

123:                                              ; preds = %120
  %124 = trunc nuw nsw i64 %31 to i16, !dbg !122
  %125 = xor i16 %124, 19489, !dbg !122
  br label %130, !dbg !121

126:                                              ; preds = %120
  %127 = zext nneg i8 %78 to i32, !dbg !123
  %128 = udiv i32 566983344, %127, !dbg !123
  %129 = trunc i32 %128 to i16, !dbg !126
  br label %130, !dbg !121

130:                                              ; preds = %126, %123
  %131 = phi i16 [ %125, %123 ], [ %129, %126 ], !dbg !121
  %132 = zext i16 %131 to i128, !dbg !127
  %133 = lshr i128 %35, 68, !dbg !128
  %134 = trunc nuw nsw i128 %133 to i64, !dbg !129
  %135 = sub nsw i64 0, %134, !dbg !130
  %136 = sext i64 %135 to i128, !dbg !131
  %137 = icmp sgt i128 %132, %136, !dbg !132
  br i1 %137, label %151, label %138, !dbg !133

138:                                              ; preds = %130
  %139 = xor i32 %45, %63, !dbg !134
  %140 = sext i32 %139 to i128, !dbg !135
  %141 = sext i8 %57 to i32, !dbg !136
  %142 = trunc i64 %12 to i32, !dbg !137
  %143 = shl i32 %142, 24, !dbg !138
  %144 = ashr exact i32 %143, 24, !dbg !138
  %145 = icmp sgt i32 %144, %141, !dbg !139
  %146 = add nuw nsw i128 %32, -112042, !dbg !140
  %147 = select i1 %145, i128 0, i128 %146, !dbg !141
  %148 = icmp ult i128 %147, %140, !dbg !142
  %149 = select i1 %148, i32 %45, i32 %141, !dbg !143
  %150 = zext i32 %149 to i64, !dbg !133
  br label %153, !dbg !133

151:                                              ; preds = %130
  %152 = zext i8 %57 to i64, !dbg !133
  br label %153, !dbg !133

153:                                              ; preds = %112, %138, %151
  %154 = phi i64 [ %150, %138 ], [ %152, %151 ], [ %31, %112 ], !dbg !118
  %155 = trunc i64 %154 to i8, !dbg !144
  %156 = xor i32 %63, -1, !dbg !145
  %157 = sext i8 %57 to i32, !dbg !146
  %158 = mul nsw i32 %157, %156, !dbg !147
  %159 = xor i32 %158, %63, !dbg !148
  %160 = zext i32 %159 to i128, !dbg !148
  br label %161, !dbg !149

161:                                              ; preds = %108, %110, %153
  %162 = phi i32 [ %109, %108 ], [ %63, %110 ], [ %63, %153 ], !dbg !108
  %163 = phi i8 [ %22, %108 ], [ %25, %110 ], [ %155, %153 ], !dbg !150
  %164 = phi i128 [ %19, %108 ], [ %19, %110 ], [ %160, %153 ], !dbg !150
  %165 = phi i1 [ %27, %108 ], [ %10, %110 ], [ %10, %153 ]
  %166 = sext i8 %78 to i128, !dbg !84
  %167 = zext i8 %163 to i32, !dbg !151
  %168 = tail call i32 @llvm.fshr.i32(i32 %162, i32 %162, i32 %167), !dbg !152
  %169 = sext i32 %168 to i128, !dbg !153
  %170 = zext i1 %165 to i128, !dbg !154
  %171 = icmp sle i128 %169, %170, !dbg !155
  %172 = zext i1 %171 to i64, !dbg !156
  %173 = xor i64 %172, 255, !dbg !157
  %174 = zext i1 %165 to i64, !dbg !158
  %175 = shl nuw nsw i32 %5, 3, !dbg !161
  %176 = zext nneg i32 %175 to i64, !dbg !162
  %177 = getelementptr i64, ptr %1, i64 %176, !dbg !162
  store i64 %174, ptr %177, align 8, !dbg !163, !tbaa !29
  %178 = shl i64 %12, 48, !dbg !164
  %179 = ashr exact i64 %178, 48, !dbg !164
  %180 = or disjoint i32 %175, 1, !dbg !167
  %181 = zext nneg i32 %180 to i64, !dbg !168
  %182 = getelementptr i64, ptr %1, i64 %181, !dbg !168
  store i64 %179, ptr %182, align 8, !dbg !169, !tbaa !29
  %183 = sext i8 %57 to i64, !dbg !170
  %184 = or disjoint i32 %175, 2, !dbg !173
  %185 = zext nneg i32 %184 to i64, !dbg !174
  %186 = getelementptr i64, ptr %1, i64 %185, !dbg !174
  store i64 %183, ptr %186, align 8, !dbg !175, !tbaa !29
  %187 = trunc nuw i128 %164 to i64, !dbg !176
  %188 = or disjoint i32 %175, 3, !dbg !179
  %189 = zext nneg i32 %188 to i64, !dbg !180
  %190 = getelementptr i64, ptr %1, i64 %189, !dbg !180
  store i64 %187, ptr %190, align 8, !dbg !181, !tbaa !29
  %191 = sext i8 %163 to i64, !dbg !182
  %192 = or disjoint i32 %175, 4, !dbg !184
  %193 = zext nneg i32 %192 to i64, !dbg !185
  %194 = getelementptr i64, ptr %1, i64 %193, !dbg !185
  store i64 %191, ptr %194, align 8, !dbg !186, !tbaa !29
  %195 = or disjoint i32 %175, 5, !dbg !187
  %196 = zext nneg i32 %195 to i64, !dbg !188
  %197 = getelementptr i64, ptr %1, i64 %196, !dbg !188
  store i64 %173, ptr %197, align 8, !dbg !189, !tbaa !29
  %198 = lshr i128 %166, 64, !dbg !190
  %199 = xor i128 %198, %166, !dbg !193
  %200 = trunc i128 %199 to i64, !dbg !193
  %201 = or disjoint i32 %175, 6, !dbg !194
  %202 = zext nneg i32 %201 to i64, !dbg !195
  %203 = getelementptr i64, ptr %1, i64 %202, !dbg !195
  store i64 %200, ptr %203, align 8, !dbg !196, !tbaa !29
  %204 = icmp ne i128 %164, 0, !dbg !197
  %205 = icmp ne i8 %163, -1, !dbg !198
  %206 = xor i1 %205, %204, !dbg !199
  %207 = select i1 %206, i64 %191, i64 0, !dbg !200
  %208 = or disjoint i32 %175, 7, !dbg !201
  %209 = zext nneg i32 %208 to i64, !dbg !202
  %210 = getelementptr i64, ptr %1, i64 %209, !dbg !202
  store i64 %207, ptr %210, align 8, !dbg !203, !tbaa !29
  ret void, !dbg !204
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshr.i32(i32, i32, i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshl.i64(i64, i64, i64) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i128 @llvm.umin.i128(i128, i128) #4

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(write, argmem: readwrite, inaccessiblemem: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{ptr @k, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "number", scope: !10, file: !10, line: 17, type: !11, scopeLine: 17, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DIFile(filename: "k.cu", directory: "")
!11 = !DISubroutineType(types: !12)
!12 = !{}
!13 = !DILocation(line: 17, column: 43, scope: !9)
!14 = !DILocation(line: 17, column: 41, scope: !9)
!15 = !DILocation(line: 17, column: 34, scope: !9)
!16 = distinct !DISubprogram(name: "number", scope: !10, file: !10, line: 18, type: !11, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!17 = !DILocation(line: 18, column: 44, scope: !16)
!18 = !DILocation(line: 18, column: 42, scope: !16)
!19 = !DILocation(line: 18, column: 35, scope: !16)
!20 = distinct !DISubprogram(name: "number", scope: !10, file: !10, line: 19, type: !11, scopeLine: 19, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!21 = !DILocation(line: 19, column: 42, scope: !20)
!22 = !DILocation(line: 19, column: 40, scope: !20)
!23 = !DILocation(line: 19, column: 33, scope: !20)
!24 = distinct !DISubprogram(name: "k", scope: !10, file: !10, line: 25, type: !11, scopeLine: 25, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!25 = !DILocation(line: 26, column: 13, scope: !24)
!26 = !DILocation(line: 27, column: 31, scope: !24)
!27 = !DILocation(line: 27, column: 24, scope: !24)
!28 = !DILocation(line: 28, column: 20, scope: !24)
!29 = !{!30, !30, i64 0}
!30 = !{!"long long", !31, i64 0}
!31 = !{!"omnipotent char", !32, i64 0}
!32 = !{!"Simple C++ TBAA"}
!33 = !DILocation(line: 29, column: 18, scope: !24)
!34 = !DILocation(line: 30, column: 16, scope: !24)
!35 = !DILocation(line: 31, column: 20, scope: !24)
!36 = !DILocation(line: 32, column: 16, scope: !24)
!37 = !DILocation(line: 33, column: 16, scope: !24)
!38 = !DILocation(line: 50, column: 5, scope: !24)
!39 = !DILocation(line: 50, column: 17, scope: !24)
!40 = !DILocation(line: 50, column: 48, scope: !24)
!41 = !DILocation(line: 50, column: 53, scope: !24)
!42 = !DILocation(line: 50, column: 40, scope: !24)
!43 = !{!31, !31, i64 0}
!44 = !DILocation(line: 50, column: 100, scope: !24)
!45 = !DILocation(line: 50, column: 85, scope: !24)
!46 = !DILocation(line: 50, column: 167, scope: !24)
!47 = !DILocation(line: 50, column: 158, scope: !24)
!48 = !DILocation(line: 50, column: 138, scope: !24)
!49 = !DILocation(line: 50, column: 286, scope: !24)
!50 = !DILocation(line: 15, column: 86, scope: !51, inlinedAt: !52)
!51 = distinct !DISubprogram(name: "rest<unsigned short>", scope: !10, file: !10, line: 15, type: !11, scopeLine: 15, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!52 = distinct !DILocation(line: 50, column: 270, scope: !24)
!53 = !DILocation(line: 50, column: 259, scope: !24)
!54 = !DILocation(line: 50, column: 348, scope: !24)
!55 = !DILocation(line: 50, column: 361, scope: !24)
!56 = !DILocation(line: 14, column: 68, scope: !57, inlinedAt: !58)
!57 = distinct !DISubprogram(name: "quotient<unsigned __int128>", scope: !10, file: !10, line: 14, type: !11, scopeLine: 14, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!58 = distinct !DILocation(line: 50, column: 326, scope: !24)
!59 = !DILocation(line: 14, column: 90, scope: !57, inlinedAt: !58)
!60 = !DILocation(line: 14, column: 61, scope: !57, inlinedAt: !58)
!61 = !DILocation(line: 50, column: 314, scope: !24)
!62 = !DILocation(line: 50, column: 311, scope: !24)
!63 = !DILocation(line: 50, column: 258, scope: !24)
!64 = !DILocation(line: 50, column: 251, scope: !24)
!65 = !DILocation(line: 50, column: 388, scope: !24)
!66 = !DILocation(line: 50, column: 425, scope: !24)
!67 = !DILocation(line: 50, column: 378, scope: !24)
!68 = !DILocation(line: 50, column: 431, scope: !24)
!69 = !DILocation(line: 52, column: 5, scope: !24)
!70 = !DILocation(line: 52, column: 31, scope: !24)
!71 = !DILocation(line: 52, column: 23, scope: !24)
!72 = !DILocation(line: 52, column: 17, scope: !24)
!73 = !DILocation(line: 52, column: 266, scope: !24)
!74 = !DILocation(line: 52, column: 513, scope: !24)
!75 = !DILocation(line: 52, column: 578, scope: !24)
!76 = !DILocation(line: 52, column: 576, scope: !24)
!77 = !DILocation(line: 52, column: 488, scope: !24)
!78 = !DILocation(line: 52, column: 653, scope: !24)
!79 = !DILocation(line: 52, column: 632, scope: !24)
!80 = !DILocation(line: 52, column: 596, scope: !24)
!81 = !DILocation(line: 52, column: 587, scope: !24)
!82 = !DILocation(line: 52, column: 466, scope: !24)
!83 = !DILocation(line: 52, column: 713, scope: !24)
!84 = !DILocation(line: 52, column: 698, scope: !24)
!85 = !DILocation(line: 52, column: 720, scope: !24)
!86 = !DILocation(line: 53, column: 56, scope: !24)
!87 = !DILocation(line: 53, column: 129, scope: !24)
!88 = !DILocation(line: 53, column: 134, scope: !24)
!89 = !DILocation(line: 53, column: 112, scope: !24)
!90 = !DILocation(line: 53, column: 30, scope: !24)
!91 = !DILocation(line: 53, column: 157, scope: !24)
!92 = !DILocation(line: 53, column: 154, scope: !24)
!93 = !DILocation(line: 53, column: 29, scope: !24)
!94 = !DILocation(line: 53, column: 28, scope: !24)
!95 = !DILocation(line: 53, column: 205, scope: !24)
!96 = !DILocation(line: 53, column: 197, scope: !24)
!97 = !DILocation(line: 53, column: 313, scope: !24)
!98 = !DILocation(line: 53, column: 264, scope: !24)
!99 = !DILocation(line: 53, column: 351, scope: !24)
!100 = !DILocation(line: 53, column: 464, scope: !24)
!101 = !DILocation(line: 53, column: 449, scope: !24)
!102 = !DILocation(line: 53, column: 343, scope: !24)
!103 = !DILocation(line: 53, column: 638, scope: !24)
!104 = !DILocation(line: 53, column: 642, scope: !24)
!105 = !DILocation(line: 53, column: 640, scope: !24)
!106 = !DILocation(line: 53, column: 234, scope: !24)
!107 = !DILocation(line: 53, column: 7, scope: !24)
!108 = !DILocation(line: 64, column: 75, scope: !24)
!109 = !DILocation(line: 57, column: 47, scope: !24)
!110 = !DILocation(line: 57, column: 7, scope: !24)
!111 = !DILocation(line: 57, column: 22, scope: !24)
!112 = !DILocation(line: 58, column: 62, scope: !24)
!113 = !DILocation(line: 58, column: 56, scope: !24)
!114 = !DILocation(line: 58, column: 16, scope: !24)
!115 = !DILocation(line: 58, column: 210, scope: !24)
!116 = !DILocation(line: 58, column: 204, scope: !24)
!117 = !DILocation(line: 58, column: 201, scope: !24)
!118 = !DILocation(line: 58, column: 15, scope: !24)
!119 = !DILocation(line: 58, column: 277, scope: !24)
!120 = !DILocation(line: 58, column: 337, scope: !24)
!121 = !DILocation(line: 58, column: 234, scope: !24)
!122 = !DILocation(line: 58, column: 427, scope: !24)
!123 = !DILocation(line: 14, column: 90, scope: !124, inlinedAt: !125)
!124 = distinct !DISubprogram(name: "quotient<__int128>", scope: !10, file: !10, line: 14, type: !11, scopeLine: 14, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!125 = distinct !DILocation(line: 58, column: 492, scope: !24)
!126 = !DILocation(line: 14, column: 61, scope: !124, inlinedAt: !125)
!127 = !DILocation(line: 58, column: 233, scope: !24)
!128 = !DILocation(line: 58, column: 596, scope: !24)
!129 = !DILocation(line: 58, column: 576, scope: !24)
!130 = !DILocation(line: 58, column: 569, scope: !24)
!131 = !DILocation(line: 58, column: 562, scope: !24)
!132 = !DILocation(line: 58, column: 552, scope: !24)
!133 = !DILocation(line: 58, column: 225, scope: !24)
!134 = !DILocation(line: 58, column: 647, scope: !24)
!135 = !DILocation(line: 58, column: 629, scope: !24)
!136 = !DILocation(line: 58, column: 681, scope: !24)
!137 = !DILocation(line: 58, column: 693, scope: !24)
!138 = !DILocation(line: 58, column: 688, scope: !24)
!139 = !DILocation(line: 58, column: 685, scope: !24)
!140 = !DILocation(line: 58, column: 722, scope: !24)
!141 = !DILocation(line: 58, column: 700, scope: !24)
!142 = !DILocation(line: 58, column: 663, scope: !24)
!143 = !DILocation(line: 58, column: 621, scope: !24)
!144 = !DILocation(line: 58, column: 14, scope: !24)
!145 = !DILocation(line: 59, column: 65, scope: !24)
!146 = !DILocation(line: 59, column: 88, scope: !24)
!147 = !DILocation(line: 59, column: 80, scope: !24)
!148 = !DILocation(line: 59, column: 36, scope: !24)
!149 = !DILocation(line: 60, column: 3, scope: !24)
!150 = !DILocation(line: 0, scope: !24)
!151 = !DILocation(line: 64, column: 92, scope: !24)
!152 = !DILocation(line: 64, column: 40, scope: !24)
!153 = !DILocation(line: 64, column: 34, scope: !24)
!154 = !DILocation(line: 64, column: 110, scope: !24)
!155 = !DILocation(line: 64, column: 100, scope: !24)
!156 = !DILocation(line: 64, column: 21, scope: !24)
!157 = !DILocation(line: 64, column: 20, scope: !24)
!158 = !DILocation(line: 20, column: 125, scope: !159, inlinedAt: !160)
!159 = distinct !DISubprogram(name: "number<bool>", scope: !10, file: !10, line: 20, type: !11, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!160 = distinct !DILocation(line: 65, column: 22, scope: !24)
!161 = !DILocation(line: 65, column: 11, scope: !24)
!162 = !DILocation(line: 65, column: 3, scope: !24)
!163 = !DILocation(line: 65, column: 20, scope: !24)
!164 = !DILocation(line: 20, column: 125, scope: !165, inlinedAt: !166)
!165 = distinct !DISubprogram(name: "number<short>", scope: !10, file: !10, line: 20, type: !11, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!166 = distinct !DILocation(line: 66, column: 22, scope: !24)
!167 = !DILocation(line: 66, column: 15, scope: !24)
!168 = !DILocation(line: 66, column: 3, scope: !24)
!169 = !DILocation(line: 66, column: 20, scope: !24)
!170 = !DILocation(line: 20, column: 125, scope: !171, inlinedAt: !172)
!171 = distinct !DISubprogram(name: "number<signed char>", scope: !10, file: !10, line: 20, type: !11, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!172 = distinct !DILocation(line: 67, column: 22, scope: !24)
!173 = !DILocation(line: 67, column: 15, scope: !24)
!174 = !DILocation(line: 67, column: 3, scope: !24)
!175 = !DILocation(line: 67, column: 20, scope: !24)
!176 = !DILocation(line: 20, column: 79, scope: !177, inlinedAt: !178)
!177 = distinct !DISubprogram(name: "number<unsigned __int128>", scope: !10, file: !10, line: 20, type: !11, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!178 = distinct !DILocation(line: 68, column: 22, scope: !24)
!179 = !DILocation(line: 68, column: 15, scope: !24)
!180 = !DILocation(line: 68, column: 3, scope: !24)
!181 = !DILocation(line: 68, column: 20, scope: !24)
!182 = !DILocation(line: 20, column: 125, scope: !171, inlinedAt: !183)
!183 = distinct !DILocation(line: 69, column: 22, scope: !24)
!184 = !DILocation(line: 69, column: 15, scope: !24)
!185 = !DILocation(line: 69, column: 3, scope: !24)
!186 = !DILocation(line: 69, column: 20, scope: !24)
!187 = !DILocation(line: 70, column: 15, scope: !24)
!188 = !DILocation(line: 70, column: 3, scope: !24)
!189 = !DILocation(line: 70, column: 20, scope: !24)
!190 = !DILocation(line: 20, column: 89, scope: !191, inlinedAt: !192)
!191 = distinct !DISubprogram(name: "number<__int128>", scope: !10, file: !10, line: 20, type: !11, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!192 = distinct !DILocation(line: 71, column: 22, scope: !24)
!193 = !DILocation(line: 20, column: 79, scope: !191, inlinedAt: !192)
!194 = !DILocation(line: 71, column: 15, scope: !24)
!195 = !DILocation(line: 71, column: 3, scope: !24)
!196 = !DILocation(line: 71, column: 20, scope: !24)
!197 = !DILocation(line: 72, column: 50, scope: !24)
!198 = !DILocation(line: 72, column: 65, scope: !24)
!199 = !DILocation(line: 72, column: 55, scope: !24)
!200 = !DILocation(line: 72, column: 124, scope: !24)
!201 = !DILocation(line: 72, column: 15, scope: !24)
!202 = !DILocation(line: 72, column: 3, scope: !24)
!203 = !DILocation(line: 72, column: 20, scope: !24)
!204 = !DILocation(line: 73, column: 1, scope: !24)
