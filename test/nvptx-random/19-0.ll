; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table0 = dso_local addrspace(1) externally_initialized global [8 x i64] [i64 4, i64 0, i64 27, i64 65535, i64 2147483647, i64 1352752274, i64 65535, i64 97], align 8
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @table0 to ptr)], section "llvm.metadata"

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

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none)
define dso_local void @k(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #1 {
  %3 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 31
  %5 = zext nneg i32 %4 to i64
  %6 = getelementptr i64, ptr %0, i64 %5
  %7 = load i64, ptr %6, align 8, !tbaa !5
  %8 = trunc i64 %7 to i8
  %9 = getelementptr i8, ptr %6, i64 32
  %10 = load i64, ptr %9, align 8, !tbaa !5
  %11 = trunc i64 %10 to i32
  %12 = getelementptr i8, ptr %6, i64 64
  %13 = load i64, ptr %12, align 8, !tbaa !5
  %14 = trunc i64 %13 to i8
  %15 = getelementptr i8, ptr %6, i64 96
  %16 = load i64, ptr %15, align 8, !tbaa !5
  %17 = trunc i64 %10 to i8
  %18 = insertelement <8 x i8> <i8 poison, i8 poison, i8 -1, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison>, i8 %17, i64 0
  %19 = insertelement <8 x i8> %18, i8 %17, i64 1
  %20 = shl i64 %10, 32
  %21 = ashr exact i64 %20, 32
  %22 = or i64 %10, %7
  %23 = trunc i64 %22 to i8
  %24 = insertelement <8 x i8> %19, i8 %23, i64 3
  %25 = shl i64 %10, 48
  %26 = ashr exact i64 %25, 48
  %27 = or i64 %26, -9223372036854775808
  %28 = tail call range(i64 0, 64) i64 @llvm.cttz.i64(i64 %27, i1 true)
  %29 = trunc nuw nsw i64 %28 to i8
  %30 = insertelement <8 x i8> %24, i8 %29, i64 4
  %31 = shl i64 %13, 56
  %32 = ashr exact i64 %31, 56
  %33 = tail call i64 @llvm.umax.i64(i64 %21, i64 %32)
  %34 = trunc i64 %33 to i8
  %35 = insertelement <8 x i8> %30, i8 %34, i64 5
  %36 = trunc i64 %16 to i8
  %37 = sub i8 %8, %36
  %38 = insertelement <8 x i8> %35, i8 %37, i64 6
  %39 = shl i8 %14, 1
  %40 = insertelement <8 x i8> %38, i8 %39, i64 7
  %41 = shl <8 x i8> %40, <i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1>
  %42 = trunc i64 %16 to i32
  %43 = lshr i32 %42, 12
  %44 = and i32 %43, 7
  %45 = insertelement <8 x i8> %41, i8 38, i32 %44
  %46 = tail call <8 x i8> @llvm.smin.v8i8(<8 x i8> %45, <8 x i8> %40)
  %47 = extractelement <8 x i8> %46, i64 0
  %48 = load i64, ptr addrspacecast (ptr addrspace(1) @table0 to ptr), align 8, !tbaa !5
  %49 = sext i8 %47 to i128
  %50 = add nsw i128 %49, 1
  %51 = icmp ult i128 %50, 2
  br i1 %51, label %56, label %52

52:                                               ; preds = %2
  %53 = sext i32 %11 to i128
  %54 = urem i128 %53, %49
  %55 = trunc i128 %54 to i8
  br label %56

56:                                               ; preds = %2, %52
  %57 = phi i8 [ %55, %52 ], [ %47, %2 ]
  %58 = trunc i64 %7 to i32
  %59 = shl i32 %58, 1
  %60 = trunc i32 %59 to i8
  %61 = insertelement <8 x i8> poison, i8 %60, i64 0
  %62 = icmp ult i64 %48, 100
  %63 = uitofp i64 %48 to double
  %64 = fptosi double %63 to i64
  %65 = trunc i64 %64 to i8
  %66 = select i1 %62, i8 %65, i8 1
  %67 = insertelement <8 x i8> %61, i8 %66, i64 1
  %68 = srem i8 %36, 66
  %69 = insertelement <8 x i8> %67, i8 %68, i64 2
  %70 = icmp ne i32 %11, 0
  %71 = select i1 %70, i8 %14, i8 0
  %72 = insertelement <8 x i8> %69, i8 %71, i64 3
  %73 = and i32 %59, 65534
  %74 = and i32 %11, 65535
  %75 = icmp ugt i32 %73, %74
  %76 = trunc i32 %59 to i16
  %77 = trunc i64 %10 to i16
  %78 = select i1 %75, i16 %76, i16 %77
  %79 = trunc i16 %78 to i8
  %80 = insertelement <8 x i8> %72, i8 %79, i64 4
  %81 = zext i1 %70 to i64
  %82 = or i64 %16, %81
  %83 = trunc i64 %82 to i8
  %84 = insertelement <8 x i8> %80, i8 %83, i64 5
  %85 = and i8 %47, 1
  %86 = insertelement <8 x i8> %84, i8 %85, i64 6
  %87 = shl i64 %16, 48
  %88 = ashr exact i64 %87, 48
  %89 = trunc i64 %16 to i16
  %90 = insertelement <8 x i8> %86, i8 %57, i64 7
  %91 = xor <8 x i8> %90, %46
  %92 = shufflevector <8 x i8> %91, <8 x i8> poison, <8 x i32> <i32 1, i32 0, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>
  %93 = tail call <8 x i8> @llvm.smin.v8i8(<8 x i8> %92, <8 x i8> %90)
  %94 = extractelement <8 x i8> %93, i64 2
  %95 = sext i8 %94 to i16
  %96 = tail call { i16, i1 } @llvm.smul.with.overflow.i16(i16 %95, i16 %76)
  %97 = extractvalue { i16, i1 } %96, 1
  %98 = extractvalue { i16, i1 } %96, 0
  %99 = zext i1 %97 to i16
  %100 = or disjoint i16 %98, %99
  %101 = sitofp i16 %100 to float
  %102 = insertelement <2 x float> poison, float %101, i64 0
  %103 = xor i1 %70, true
  %104 = uitofp i1 %103 to float
  %105 = insertelement <2 x float> %102, float %104, i64 1
  %106 = fadd <2 x float> %105, %105
  %107 = sitofp i16 %89 to float
  %108 = or i8 %94, %14
  %109 = and i8 %108, 1
  %110 = zext nneg i8 %109 to i32
  %111 = insertelement <2 x float> %106, float %107, i32 %110
  %112 = icmp eq i16 %89, 0
  %113 = zext i1 %112 to i64
  %114 = tail call i64 @llvm.umax.i64(i64 %88, i64 %113)
  %115 = extractelement <2 x float> %111, i64 0
  %116 = sub i64 0, %7
  %117 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %116)
  %118 = tail call float @llvm.fabs.f32(float %115)
  %119 = fcmp olt float %118, 2.000000e+09
  %120 = fptosi float %115 to i64
  %121 = select i1 %119, i64 %120, i64 1
  %122 = xor i64 %121, %117
  %123 = shl nuw nsw i32 %3, 3
  %124 = zext nneg i32 %123 to i64
  %125 = getelementptr i64, ptr %1, i64 %124
  store i64 %7, ptr %125, align 8, !tbaa !5
  %126 = or disjoint i32 %123, 1
  %127 = zext nneg i32 %126 to i64
  %128 = getelementptr i64, ptr %1, i64 %127
  store i64 0, ptr %128, align 8, !tbaa !5
  %129 = or disjoint i32 %123, 2
  %130 = zext nneg i32 %129 to i64
  %131 = getelementptr i64, ptr %1, i64 %130
  store i64 %32, ptr %131, align 8, !tbaa !5
  %132 = or disjoint i32 %123, 3
  %133 = zext nneg i32 %132 to i64
  %134 = getelementptr i64, ptr %1, i64 %133
  store i64 %88, ptr %134, align 8, !tbaa !5
  %135 = shl i64 %114, 56
  %136 = ashr exact i64 %135, 56
  %137 = or disjoint i32 %123, 4
  %138 = zext nneg i32 %137 to i64
  %139 = getelementptr i64, ptr %1, i64 %138
  store i64 %136, ptr %139, align 8, !tbaa !5
  %140 = or disjoint i32 %123, 5
  %141 = zext nneg i32 %140 to i64
  %142 = getelementptr i64, ptr %1, i64 %141
  store i64 %81, ptr %142, align 8, !tbaa !5
  %143 = or disjoint i32 %123, 6
  %144 = zext nneg i32 %143 to i64
  %145 = getelementptr i64, ptr %1, i64 %144
  store i64 %81, ptr %145, align 8, !tbaa !5
  %146 = shl i64 %122, 56
  %147 = ashr exact i64 %146, 56
  %148 = or disjoint i32 %123, 7
  %149 = zext nneg i32 %148 to i64
  %150 = getelementptr i64, ptr %1, i64 %149
  store i64 %147, ptr %150, align 8, !tbaa !5
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i16, i1 } @llvm.smul.with.overflow.i16(i16, i16) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umax.i64(i64, i64) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <8 x i8> @llvm.smin.v8i8(<8 x i8>, <8 x i8>) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #3

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

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
