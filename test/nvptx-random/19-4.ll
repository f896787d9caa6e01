; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table0 = dso_local addrspace(4) externally_initialized global [8 x i64] [i64 128, i64 1582, i64 744096170, i64 10917, i64 4244346, i64 860090278, i64 65535, i64 18388740], align 8
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @table0 to ptr)], section "llvm.metadata"

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

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local noundef half @_Z3fn3byiPy(i1 noundef zeroext %0, i64 noundef %1, i32 noundef %2, ptr nocapture noundef %3) local_unnamed_addr #1 {
  %5 = alloca [4 x double], align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %5) #6
  %6 = xor i32 %2, -1
  %7 = sitofp i32 %6 to double
  store double %7, ptr %5, align 8, !tbaa !5
  %8 = getelementptr inbounds i8, ptr %5, i64 8
  %9 = uitofp i64 %1 to double
  %10 = sitofp i32 %2 to double
  %11 = fadd double %9, %10
  store double %11, ptr %8, align 8, !tbaa !5
  %12 = getelementptr inbounds i8, ptr %5, i64 16
  %13 = load i64, ptr %3, align 8, !tbaa !9
  %14 = uitofp i64 %13 to double
  store double %14, ptr %12, align 8, !tbaa !5
  %15 = getelementptr inbounds i8, ptr %5, i64 24
  store double %9, ptr %15, align 8, !tbaa !5
  %16 = sitofp i1 %0 to double
  %17 = zext i1 %0 to i64
  %18 = getelementptr [8 x i64], ptr addrspacecast (ptr addrspace(4) @table0 to ptr), i64 0, i64 %17
  %19 = load i64, ptr %18, align 8, !tbaa !9
  %20 = icmp ult i64 %19, 100
  %21 = and i64 %19, 3
  %22 = select i1 %20, i64 %21, i64 1
  %23 = getelementptr [4 x double], ptr %5, i64 0, i64 %22
  store double %16, ptr %23, align 8, !tbaa !5
  %24 = sub i64 0, %13
  %25 = and i64 %24, 3
  %26 = getelementptr [4 x double], ptr %5, i64 0, i64 %25
  %27 = load double, ptr %26, align 8, !tbaa !5
  %28 = tail call double @llvm.fabs.f64(double %27)
  %29 = fcmp olt double %28, 2.000000e+09
  %30 = fptoui double %28 to i64
  %31 = select i1 %29, i64 %30, i64 1
  store i64 %31, ptr %3, align 8, !tbaa !9
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %5) #6
  ret half 0xHD240
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @k(ptr nocapture noundef readonly %0, ptr nocapture noundef writeonly %1) local_unnamed_addr #4 {
  %3 = tail call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 31
  %5 = zext nneg i32 %4 to i64
  %6 = getelementptr i64, ptr %0, i64 %5
  %7 = load i64, ptr %6, align 8, !tbaa !9
  %8 = lshr i64 %7, 16
  %9 = trunc i64 %8 to i32
  %10 = sitofp i32 %9 to half
  %11 = getelementptr i8, ptr %6, i64 32
  %12 = load i64, ptr %11, align 8, !tbaa !9
  %13 = lshr i64 %12, 23
  %14 = trunc i64 %13 to i32
  %15 = sitofp i32 %14 to float
  %16 = getelementptr i8, ptr %6, i64 64
  %17 = load i64, ptr %16, align 8, !tbaa !9
  %18 = trunc i64 %17 to i32
  %19 = getelementptr i8, ptr %6, i64 128
  %20 = load i64, ptr %19, align 8, !tbaa !9
  %21 = getelementptr i8, ptr %6, i64 160
  %22 = load i64, ptr %21, align 8, !tbaa !9
  %23 = and i64 %20, 255
  %24 = icmp ne i64 %23, 0
  %25 = tail call half @llvm.fabs.f16(half %10)
  %26 = fcmp olt half %25, 0xH7753
  %27 = fptoui half %25 to i16
  %28 = zext i16 %27 to i64
  %29 = select i1 %26, i64 %28, i64 1
  %30 = and i64 %22, 65535
  %31 = mul nuw nsw i64 %29, %30
  %32 = icmp ult i64 %31, 65536
  %33 = xor i1 %24, %32
  %34 = zext i1 %33 to i8
  %35 = shl i32 %18, 24
  %36 = ashr exact i32 %35, 24
  %37 = bitcast half %10 to i16
  %38 = zext i16 %37 to i64
  %39 = shl nuw nsw i32 %3, 3
  %40 = zext nneg i32 %39 to i64
  %41 = getelementptr i64, ptr %1, i64 %40
  store i64 %38, ptr %41, align 8, !tbaa !9
  %42 = bitcast float %15 to i32
  %43 = zext i32 %42 to i64
  %44 = or disjoint i32 %39, 1
  %45 = zext nneg i32 %44 to i64
  %46 = getelementptr i64, ptr %1, i64 %45
  store i64 %43, ptr %46, align 8, !tbaa !9
  %47 = shl i64 %17, 56
  %48 = ashr exact i64 %47, 56
  %49 = or disjoint i32 %39, 2
  %50 = zext nneg i32 %49 to i64
  %51 = getelementptr i64, ptr %1, i64 %50
  store i64 %48, ptr %51, align 8, !tbaa !9
  %52 = or disjoint i32 %39, 3
  %53 = zext nneg i32 %52 to i64
  %54 = getelementptr i64, ptr %1, i64 %53
  store i64 -50, ptr %54, align 8, !tbaa !9
  %55 = or disjoint i32 %39, 4
  %56 = zext nneg i32 %55 to i64
  %57 = getelementptr i64, ptr %1, i64 %56
  store i64 %23, ptr %57, align 8, !tbaa !9
  %58 = zext i1 %33 to i64
  %59 = or disjoint i32 %39, 5
  %60 = zext nneg i32 %59 to i64
  %61 = getelementptr i64, ptr %1, i64 %60
  store i64 %58, ptr %61, align 8, !tbaa !9
  %62 = tail call float @llvm.fabs.f32(float %15)
  %63 = fcmp olt float %62, 2.000000e+09
  %64 = fptoui float %62 to i64
  %65 = select i1 %63, i64 %64, i64 1
  %66 = icmp eq i64 %23, %48
  %67 = fcmp olt half %25, 0xH7B53
  %68 = fptosi half %10 to i64
  %69 = trunc i64 %68 to i8
  %70 = select i1 %67, i8 %69, i8 1
  %71 = select i1 %66, i8 %34, i8 %70
  %72 = add i8 %71, 1
  %73 = icmp ult i8 %72, 2
  br i1 %73, label %84, label %74

74:                                               ; preds = %2
  %75 = sext i8 %71 to i16
  %76 = fptoui half %25 to i64
  %77 = select i1 %67, i64 %76, i64 1
  %78 = xor i64 %65, %77
  %79 = trunc i64 %78 to i16
  %80 = shl i16 %79, 8
  %81 = ashr exact i16 %80, 8
  %82 = srem i16 %81, %75
  %83 = trunc nsw i16 %82 to i8
  br label %84

84:                                               ; preds = %2, %74
  %85 = phi i8 [ %83, %74 ], [ %71, %2 ]
  %86 = icmp slt i8 %85, 0
  br i1 %86, label %100, label %87

87:                                               ; preds = %84
  %88 = and i64 %20, 63
  %89 = lshr i64 4294967295, %88
  %90 = add i32 %14, 29999
  %91 = icmp ult i32 %90, 59999
  %92 = shl i64 %13, 48
  %93 = ashr exact i64 %92, 48
  %94 = select i1 %91, i64 %93, i64 1
  %95 = tail call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %89, i64 %94)
  %96 = extractvalue { i64, i1 } %95, 1
  %97 = extractvalue { i64, i1 } %95, 0
  %98 = zext i1 %96 to i64
  %99 = xor i64 %97, %98
  br label %110

100:                                              ; preds = %84
  %101 = fptosi half %10 to i32
  %102 = select i1 %67, i32 %101, i32 1
  %103 = add nsw i32 %102, 1
  %104 = icmp ult i32 %103, 2
  br i1 %104, label %107, label %105

105:                                              ; preds = %100
  %106 = sdiv i32 %36, %102
  br label %107

107:                                              ; preds = %100, %105
  %108 = phi i32 [ %106, %105 ], [ %36, %100 ]
  %109 = sext i32 %108 to i64
  br label %110

110:                                              ; preds = %107, %87
  %111 = phi i64 [ %99, %87 ], [ %109, %107 ]
  %112 = or disjoint i32 %39, 6
  %113 = zext nneg i32 %112 to i64
  %114 = getelementptr i64, ptr %1, i64 %113
  store i64 %111, ptr %114, align 8, !tbaa !9
  %115 = fptoui float %62 to i32
  %116 = select i1 %63, i32 %115, i32 1
  %117 = and i64 %65, 7
  %118 = getelementptr [8 x i64], ptr addrspacecast (ptr addrspace(4) @table0 to ptr), i64 0, i64 %117
  %119 = load i64, ptr %118, align 8, !tbaa !9
  %120 = uitofp i64 %119 to double
  %121 = icmp ult i64 %119, 100
  %122 = fptoui double %120 to i64
  %123 = trunc i64 %122 to i32
  %124 = select i1 %121, i32 %123, i32 1
  %125 = icmp eq i32 %116, %124
  br i1 %125, label %126, label %141

126:                                              ; preds = %110
  %127 = and i64 %17, 7
  %128 = getelementptr [8 x i64], ptr addrspacecast (ptr addrspace(4) @table0 to ptr), i64 0, i64 %127
  %129 = load i64, ptr %128, align 8, !tbaa !9
  %130 = uitofp i64 %129 to double
  %131 = icmp ult i64 %129, 100
  %132 = fptosi double %130 to i64
  %133 = select i1 %131, i64 %132, i64 1
  %134 = sitofp i64 %133 to half
  %135 = fneg half %134
  %136 = tail call half @llvm.fabs.f16(half %134)
  %137 = fcmp olt half %136, 0xH7B53
  %138 = fptosi half %135 to i64
  %139 = sext i64 %138 to i128
  %140 = select i1 %137, i128 %139, i128 1
  br label %141

141:                                              ; preds = %110, %126
  %142 = phi i128 [ %140, %126 ], [ 0, %110 ]
  %143 = lshr i128 %142, 64
  %144 = xor i128 %143, %142
  %145 = trunc i128 %144 to i64
  %146 = or disjoint i32 %39, 7
  %147 = zext nneg i32 %146 to i64
  %148 = getelementptr i64, ptr %1, i64 %147
  store i64 %145, ptr %148, align 8, !tbaa !9
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fabs.f16(half) #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #5

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
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
!6 = !{!"double", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C++ TBAA"}
!9 = !{!10, !10, i64 0}
!10 = !{!"long long", !7, i64 0}
