; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table1 = dso_local local_unnamed_addr addrspace(1) externally_initialized global [8 x i32] [i32 300660, i32 551747, i32 690841, i32 128, i32 4, i32 14, i32 127, i32 127], align 4
@_ZL6table0 = internal unnamed_addr addrspace(4) constant [8 x i16] [i16 0, i16 255, i16 4661, i16 -16715, i16 1, i16 128, i16 128, i16 127], align 2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 4294967296) i64 @_Z6numberf(float noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno float %0, 0.000000e+00
  %3 = bitcast float %0 to i32
  %4 = zext i32 %3 to i64
  %5 = select i1 %2, i64 2143289344, i64 %4
  ret i64 %5
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef i64 @_Z6numberd(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno double %0, 0.000000e+00
  %3 = bitcast double %0 to i64
  %4 = select i1 %2, i64 9221120237041090560, i64 %3
  ret i64 %4
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z6numberDF16_(half noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno half %0, 0xH0000
  %3 = bitcast half %0 to i16
  %4 = zext i16 %3 to i64
  %5 = select i1 %2, i64 32256, i64 %4
  ret i64 %5
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z4fn11i(i32 %0) local_unnamed_addr #1 {
  ret i64 65315
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none)
define dso_local noundef range(i64 0, 65536) i64 @_Z4fn15j(i32 %0) local_unnamed_addr #1 {
  %2 = tail call noundef i64 @_Z4fn11i(i32 poison) #6
  ret i64 %2
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64) #3

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @k(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #4 {
  %3 = alloca [4 x i16], align 2
  %4 = alloca [4 x i16], align 2
  %5 = alloca [4 x i32], align 4
  %6 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = and i32 %6, 31
  %8 = zext nneg i32 %7 to i64
  %9 = getelementptr i64, ptr %0, i64 %8
  %10 = load i64, ptr %9, align 8, !tbaa !5
  %11 = getelementptr i8, ptr %9, i64 32
  %12 = load i64, ptr %11, align 8, !tbaa !5
  %13 = getelementptr i8, ptr %9, i64 64
  %14 = load i64, ptr %13, align 8, !tbaa !5
  %15 = trunc i64 %14 to i8
  %16 = getelementptr i8, ptr %9, i64 96
  %17 = load i64, ptr %16, align 8, !tbaa !5
  %18 = trunc i64 %12 to i32
  %19 = and i32 %18, 65534
  %20 = icmp ugt i32 %19, 37
  %21 = uitofp i1 %20 to float
  %22 = fadd float %21, %21
  %23 = insertelement <2 x float> <float poison, float 2.000000e+00>, float %22, i64 0
  %24 = sext i8 %15 to i32
  %25 = and i32 %24, 1
  %26 = insertelement <2 x float> %23, float 2.560000e+02, i32 %25
  %27 = trunc i64 %10 to i8
  %28 = shl i64 %10, 62
  %29 = sitofp i64 %28 to float
  %30 = extractelement <2 x float> %26, i64 1
  %31 = insertelement <2 x float> %26, float %29, i64 0
  %32 = fadd <2 x float> %26, %31
  %33 = tail call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %12, i64 %17)
  %34 = extractvalue { i64, i1 } %33, 1
  %35 = extractvalue { i64, i1 } %33, 0
  %36 = zext i1 %34 to i64
  %37 = xor i64 %35, %36
  %38 = uitofp i64 %37 to float
  %39 = fcmp olt float %30, 3.000000e+04
  %40 = fptoui float %30 to i16
  %41 = zext i16 %40 to i32
  %42 = select i1 %39, i32 %41, i32 1
  %43 = and i32 %18, 15
  %44 = lshr i32 %42, %43
  %45 = and i32 %44, 1
  %46 = insertelement <2 x float> %32, float %38, i32 %45
  %47 = shufflevector <2 x float> %46, <2 x float> poison, <2 x i32> <i32 1, i32 0>
  %48 = fcmp olt float %30, 1.200000e+02
  %49 = fptosi float %30 to i8
  %50 = select i1 %48, i8 %49, i8 1
  %51 = trunc i64 %17 to i32
  %52 = add i32 %51, 1
  %53 = icmp ult i32 %52, 2
  br i1 %53, label %58, label %54

54:                                               ; preds = %2
  %55 = tail call i8 @llvm.smax.i8(i8 %50, i8 %27)
  %56 = sext i8 %55 to i32
  %57 = srem i32 %56, %51
  br label %58

58:                                               ; preds = %2, %54
  %59 = phi i32 [ %57, %54 ], [ %51, %2 ]
  %60 = and i32 %59, 65535
  %61 = and i32 %51, -65536
  %62 = tail call i32 @llvm.bitreverse.i32(i32 %61)
  %63 = icmp ult i32 %60, %62
  %64 = trunc i64 %12 to i8
  %65 = select i1 %63, i8 %15, i8 %64
  %66 = zext i8 %65 to i32
  %67 = insertelement <2 x i32> poison, i32 %66, i64 0
  %68 = fcmp olt float %30, 2.000000e+09
  %69 = fptosi float %30 to i32
  %70 = select i1 %68, i32 %69, i32 1
  %71 = insertelement <2 x i32> %67, i32 %70, i64 1
  %72 = tail call <2 x i32> @llvm.smin.v2i32(<2 x i32> %71, <2 x i32> zeroinitializer)
  %73 = insertelement <4 x i8> poison, i8 %50, i64 0
  %74 = add i8 %27, -1
  %75 = insertelement <4 x i8> %73, i8 %74, i64 1
  %76 = trunc i64 %17 to i8
  %77 = insertelement <4 x i8> %75, i8 %76, i64 2
  %78 = fptosi float %30 to i16
  %79 = sext i16 %78 to i32
  %80 = select i1 %39, i32 %79, i32 1
  %81 = sub nsw i32 0, %80
  %82 = lshr i32 %81, 16
  %83 = trunc i32 %82 to i8
  %84 = insertelement <4 x i8> %77, i8 %83, i64 3
  %85 = mul <4 x i8> %84, %84
  %86 = extractelement <2 x i32> %72, i64 1
  %87 = trunc i32 %86 to i8
  %88 = sub i8 0, %87
  %89 = and i8 %50, 7
  %90 = lshr i8 127, %89
  %91 = and i8 %90, 3
  %92 = zext nneg i8 %91 to i32
  %93 = insertelement <4 x i8> %85, i8 %88, i32 %92
  %94 = extractelement <4 x i8> %93, i64 3
  %95 = sext i8 %94 to i64
  %96 = tail call noundef i64 @_Z4fn15j(i32 poison) #6
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3) #6
  %97 = trunc i64 %10 to i16
  store i16 %97, ptr %3, align 2, !tbaa !9
  %98 = getelementptr inbounds i8, ptr %3, i64 2
  %99 = trunc i64 %96 to i8
  %100 = add i8 %87, 1
  %101 = icmp ult i8 %100, 2
  br i1 %101, label %104, label %102

102:                                              ; preds = %58
  %103 = udiv i8 %99, %87
  br label %104

104:                                              ; preds = %58, %102
  %105 = phi i8 [ %103, %102 ], [ %99, %58 ]
  %106 = zext i8 %105 to i16
  store i16 %106, ptr %98, align 2, !tbaa !9
  %107 = getelementptr inbounds i8, ptr %3, i64 4
  %108 = icmp ne i64 %10, 0
  %109 = icmp ne i64 %96, 0
  %110 = xor i1 %108, %109
  %111 = zext i1 %110 to i16
  store i16 %111, ptr %107, align 2, !tbaa !9
  %112 = getelementptr inbounds i8, ptr %3, i64 6
  store i16 1, ptr %112, align 2, !tbaa !9
  %113 = tail call range(i64 0, 17) i64 @llvm.ctpop.i64(i64 %96)
  %114 = trunc nuw nsw i64 %113 to i32
  %115 = icmp slt i32 %51, %114
  %116 = zext i1 %115 to i16
  %117 = and i32 %86, 255
  %118 = icmp eq i32 %117, 1
  %119 = zext i1 %118 to i64
  %120 = getelementptr [4 x i16], ptr %3, i64 0, i64 %119
  store i16 %116, ptr %120, align 2, !tbaa !9
  %121 = and i64 %17, 7
  %122 = getelementptr [8 x i16], ptr addrspacecast (ptr addrspace(4) @_ZL6table0 to ptr), i64 0, i64 %121
  %123 = load i16, ptr %122, align 2, !tbaa !9
  %124 = icmp ult i16 %123, 100
  %125 = and i16 %123, 3
  %126 = select i1 %124, i16 %125, i16 1
  %127 = zext nneg i16 %126 to i64
  %128 = getelementptr [4 x i16], ptr %3, i64 0, i64 %127
  %129 = load i16, ptr %128, align 2, !tbaa !9
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3) #6
  %130 = sub nsw i64 0, %96
  %131 = and i64 %130, 255
  %132 = icmp slt i64 %131, %95
  br i1 %132, label %161, label %133

133:                                              ; preds = %104
  %134 = trunc i64 %10 to i32
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #6
  %135 = tail call i8 @llvm.smax.i8(i8 %76, i8 %64)
  %136 = sext i8 %135 to i16
  store i16 %136, ptr %4, align 2, !tbaa !9
  %137 = getelementptr inbounds i8, ptr %4, i64 2
  %138 = trunc nuw i64 %96 to i16
  %139 = xor i16 %138, -1
  store i16 %139, ptr %137, align 2, !tbaa !9
  %140 = getelementptr inbounds i8, ptr %4, i64 4
  %141 = shl i16 %138, 1
  store i16 %141, ptr %140, align 2, !tbaa !9
  %142 = getelementptr inbounds i8, ptr %4, i64 6
  %143 = xor i8 %76, %64
  %144 = sext i8 %143 to i16
  store i16 %144, ptr %142, align 2, !tbaa !9
  %145 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %10)
  %146 = trunc nuw nsw i64 %145 to i32
  %147 = icmp ugt i32 %146, %134
  %148 = zext i1 %147 to i16
  %149 = or i32 %86, %134
  %150 = and i32 %149, 3
  %151 = zext nneg i32 %150 to i64
  %152 = getelementptr [4 x i16], ptr %4, i64 0, i64 %151
  store i16 %148, ptr %152, align 2, !tbaa !9
  %153 = mul i64 %14, %12
  %154 = and i64 %153, 3
  %155 = getelementptr [4 x i16], ptr %4, i64 0, i64 %154
  %156 = load i16, ptr %155, align 2, !tbaa !9
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #6
  %157 = tail call noundef i64 @_Z4fn11i(i32 poison) #6
  %158 = trunc i64 %157 to i8
  %159 = zext i16 %156 to i32
  %160 = zext i16 %156 to i64
  br label %199

161:                                              ; preds = %104
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %5) #6
  store i32 %18, ptr %5, align 4, !tbaa !11
  %162 = getelementptr inbounds i8, ptr %5, i64 4
  store i32 -15366, ptr %162, align 4, !tbaa !11
  %163 = getelementptr inbounds i8, ptr %5, i64 8
  %164 = tail call { i64, i1 } @llvm.ssub.with.overflow.i64(i64 %17, i64 %95)
  %165 = extractvalue { i64, i1 } %164, 1
  %166 = extractvalue { i64, i1 } %164, 0
  %167 = zext i1 %165 to i64
  %168 = xor i64 %166, %167
  %169 = trunc i64 %168 to i32
  store i32 %169, ptr %163, align 4, !tbaa !11
  %170 = getelementptr inbounds i8, ptr %5, i64 12
  %171 = zext i16 %129 to i64
  %172 = icmp eq i64 %96, %171
  %173 = zext i1 %172 to i32
  store i32 %173, ptr %170, align 4, !tbaa !11
  %174 = and i32 %86, 63
  %175 = zext nneg i32 %174 to i64
  %176 = lshr i64 65535, %175
  %177 = and i64 %176, 7
  %178 = getelementptr [8 x i16], ptr addrspacecast (ptr addrspace(4) @_ZL6table0 to ptr), i64 0, i64 %177
  %179 = load i16, ptr %178, align 2, !tbaa !9
  %180 = icmp ult i16 %179, 100
  %181 = select i1 %180, i16 %179, i16 1
  %182 = zext i16 %181 to i32
  %183 = shl i32 %182, 24
  %184 = ashr exact i32 %183, 24
  %185 = icmp ult i16 %129, 120
  %186 = zext i16 %129 to i32
  %187 = shl i32 %186, 24
  %188 = ashr exact i32 %187, 24
  %189 = select i1 %185, i32 %188, i32 1
  %190 = icmp sgt i32 %184, %189
  %191 = and i8 %94, 3
  %192 = zext nneg i8 %191 to i64
  %193 = select i1 %190, i64 %192, i64 3
  %194 = getelementptr [4 x i32], ptr %5, i64 0, i64 %193
  store i32 %24, ptr %194, align 4, !tbaa !11
  %195 = load i32, ptr %5, align 4, !tbaa !11
  %196 = sitofp i32 %195 to float
  %197 = insertelement <2 x float> %47, float %196, i64 0
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5) #6
  %198 = trunc i64 %17 to i32
  br label %199

199:                                              ; preds = %161, %133
  %200 = phi <2 x float> [ %47, %133 ], [ %197, %161 ]
  %201 = phi i32 [ %159, %133 ], [ %198, %161 ]
  %202 = phi i64 [ %160, %133 ], [ %17, %161 ]
  %203 = phi i8 [ %158, %133 ], [ %15, %161 ]
  %204 = icmp ne i32 %86, 0
  %205 = sitofp i32 %86 to float
  %206 = zext i1 %204 to i64
  %207 = and i32 %201, 65535
  %208 = sext i8 %203 to i32
  %209 = and i32 %208, 65535
  %210 = icmp ult i32 %207, %209
  %211 = sext i1 %210 to i64
  %212 = add nsw i64 %211, %206
  %213 = or i64 %212, -9223372036854775808
  %214 = tail call range(i64 0, 64) i64 @llvm.cttz.i64(i64 %213, i1 true)
  %215 = shl nuw nsw i32 %6, 3
  %216 = zext nneg i32 %215 to i64
  %217 = getelementptr i64, ptr %1, i64 %216
  store i64 %10, ptr %217, align 8, !tbaa !5
  %218 = or disjoint i32 %215, 1
  %219 = zext nneg i32 %218 to i64
  %220 = getelementptr i64, ptr %1, i64 %219
  store i64 %214, ptr %220, align 8, !tbaa !5
  %221 = sext i8 %203 to i64
  %222 = or disjoint i32 %215, 2
  %223 = zext nneg i32 %222 to i64
  %224 = getelementptr i64, ptr %1, i64 %223
  store i64 %221, ptr %224, align 8, !tbaa !5
  %225 = or disjoint i32 %215, 3
  %226 = zext nneg i32 %225 to i64
  %227 = getelementptr i64, ptr %1, i64 %226
  store i64 %202, ptr %227, align 8, !tbaa !5
  %228 = bitcast float %205 to i32
  %229 = zext i32 %228 to i64
  %230 = or disjoint i32 %215, 4
  %231 = zext nneg i32 %230 to i64
  %232 = getelementptr i64, ptr %1, i64 %231
  store i64 %229, ptr %232, align 8, !tbaa !5
  %233 = extractelement <2 x float> %200, i64 0
  %234 = fcmp uno float %233, 0.000000e+00
  %235 = bitcast float %233 to i32
  %236 = zext i32 %235 to i64
  %237 = select i1 %234, i64 2143289344, i64 %236
  %238 = or disjoint i32 %215, 5
  %239 = zext nneg i32 %238 to i64
  %240 = getelementptr i64, ptr %1, i64 %239
  store i64 %237, ptr %240, align 8, !tbaa !5
  %241 = sext i32 %86 to i64
  %242 = or disjoint i32 %215, 6
  %243 = zext nneg i32 %242 to i64
  %244 = getelementptr i64, ptr %1, i64 %243
  store i64 %241, ptr %244, align 8, !tbaa !5
  %245 = or disjoint i32 %215, 7
  %246 = zext nneg i32 %245 to i64
  %247 = getelementptr i64, ptr %1, i64 %246
  store i64 %95, ptr %247, align 8, !tbaa !5
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.usub.with.overflow.i64(i64, i64) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bitreverse.i32(i32) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.smax.i8(i8, i8) #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x i32> @llvm.smin.v2i32(<2 x i32>, <2 x i32>) #5

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" "uniform-work-group-size"="true" }
attributes #5 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nounwind }

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!llvm.ident = !{!4}

!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!5 = !{!6, !6, i64 0}
!6 = !{!"long long", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{!10, !10, i64 0}
!10 = !{!"short", !7, i64 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"int", !7, i64 0}
