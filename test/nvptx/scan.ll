; ModuleID = '/scan.cu'
source_filename = "/scan.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ20scan_block_exclusiveE4sums = internal unnamed_addr addrspace(3) global [32 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @scan_warp(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %inclusive, ptr noundef writeonly captures(none) %exclusive, i32 noundef %n) local_unnamed_addr #0 !dbg !11 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !15
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !19
  %mul = mul i32 %0, %1, !dbg !22
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !23
  %add = add i32 %mul, %2, !dbg !26
  %and = and i32 %2, 31, !dbg !27
  %cmp = icmp slt i32 %add, %n, !dbg !28
  br i1 %cmp, label %cond.true, label %cond.end, !dbg !29

cond.true:                                        ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !30
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !30
  %3 = load i32, ptr %arrayidx, align 4, !dbg !30, !tbaa !7
  br label %cond.end, !dbg !29

cond.end:                                         ; preds = %entry, %cond.true
  %cond = phi i32 [ %3, %cond.true ], [ 0, %entry ], !dbg !29
  %4 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %cond, i32 1, i32 0), !dbg !31
  %cmp6.not = icmp eq i32 %and, 0, !dbg !37
  %add7 = select i1 %cmp6.not, i32 0, i32 %4, !dbg !37
  %spec.select = add i32 %add7, %cond, !dbg !37
  %5 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select, i32 2, i32 0), !dbg !31
  %cmp6.not.1 = icmp samesign ult i32 %and, 2, !dbg !37
  %add7.1 = select i1 %cmp6.not.1, i32 0, i32 %5, !dbg !37
  %spec.select.1 = add i32 %add7.1, %spec.select, !dbg !37
  %6 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.1, i32 4, i32 0), !dbg !31
  %cmp6.not.2 = icmp samesign ult i32 %and, 4, !dbg !37
  %add7.2 = select i1 %cmp6.not.2, i32 0, i32 %6, !dbg !37
  %spec.select.2 = add i32 %add7.2, %spec.select.1, !dbg !37
  %7 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.2, i32 8, i32 0), !dbg !31
  %cmp6.not.3 = icmp samesign ult i32 %and, 8, !dbg !37
  %add7.3 = select i1 %cmp6.not.3, i32 0, i32 %7, !dbg !37
  %spec.select.3 = add i32 %add7.3, %spec.select.2, !dbg !37
  %8 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.3, i32 16, i32 0), !dbg !31
  br i1 %cmp, label %if.end10, label %cleanup, !dbg !38

if.end10:                                         ; preds = %cond.end
  %cmp6.not.4 = icmp samesign ult i32 %and, 16, !dbg !37
  %add7.4 = select i1 %cmp6.not.4, i32 0, i32 %8, !dbg !37
  %spec.select.4 = add i32 %add7.4, %spec.select.3, !dbg !37
  %idxprom11 = sext i32 %add to i64, !dbg !39
  %arrayidx12 = getelementptr inbounds i32, ptr %inclusive, i64 %idxprom11, !dbg !39
  store i32 %spec.select.4, ptr %arrayidx12, align 4, !dbg !40, !tbaa !7
  %sub = sub i32 %spec.select.4, %cond, !dbg !41
  %arrayidx14 = getelementptr inbounds i32, ptr %exclusive, i64 %idxprom11, !dbg !42
  store i32 %sub, ptr %arrayidx14, align 4, !dbg !43, !tbaa !7
  br label %cleanup, !dbg !44

cleanup:                                          ; preds = %cond.end, %if.end10
  ret void, !dbg !44
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @scan_block_exclusive(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, ptr noundef writeonly captures(none) %totals, i32 noundef %n) local_unnamed_addr #1 !dbg !45 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !46
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !48
  %mul = mul i32 %0, %1, !dbg !50
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !51
  %add = add i32 %mul, %2, !dbg !53
  %and = and i32 %2, 31, !dbg !54
  %shr = lshr i32 %2, 5, !dbg !55
  %cmp = icmp samesign ult i32 %2, 32, !dbg !56
  br i1 %cmp, label %if.then, label %if.end, !dbg !56

if.then:                                          ; preds = %entry
  %idxprom = zext nneg i32 %2 to i64, !dbg !57
  %arrayidx = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20scan_block_exclusiveE4sums to ptr), i64 %idxprom, !dbg !57
  store i32 0, ptr %arrayidx, align 4, !dbg !58, !tbaa !7
  br label %if.end, !dbg !57

if.end:                                           ; preds = %if.then, %entry
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !59
  %cmp7 = icmp slt i32 %add, %n, !dbg !60
  br i1 %cmp7, label %cond.true, label %cond.end, !dbg !61

cond.true:                                        ; preds = %if.end
  %idxprom8 = sext i32 %add to i64, !dbg !62
  %arrayidx9 = getelementptr inbounds i32, ptr %in, i64 %idxprom8, !dbg !62
  %3 = load i32, ptr %arrayidx9, align 4, !dbg !62, !tbaa !7
  br label %cond.end, !dbg !61

cond.end:                                         ; preds = %if.end, %cond.true
  %cond = phi i32 [ %3, %cond.true ], [ 0, %if.end ], !dbg !61
  %4 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %cond, i32 1, i32 0), !dbg !63
  %cmp12.not = icmp eq i32 %and, 0, !dbg !65
  %add14 = select i1 %cmp12.not, i32 0, i32 %4, !dbg !65
  %spec.select = add nsw i32 %add14, %cond, !dbg !65
  %5 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select, i32 2, i32 0), !dbg !63
  %cmp12.not.1 = icmp samesign ult i32 %and, 2, !dbg !65
  %add14.1 = select i1 %cmp12.not.1, i32 0, i32 %5, !dbg !65
  %spec.select.1 = add nsw i32 %add14.1, %spec.select, !dbg !65
  %6 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.1, i32 4, i32 0), !dbg !63
  %cmp12.not.2 = icmp samesign ult i32 %and, 4, !dbg !65
  %add14.2 = select i1 %cmp12.not.2, i32 0, i32 %6, !dbg !65
  %spec.select.2 = add nsw i32 %add14.2, %spec.select.1, !dbg !65
  %7 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.2, i32 8, i32 0), !dbg !63
  %cmp12.not.3 = icmp samesign ult i32 %and, 8, !dbg !65
  %add14.3 = select i1 %cmp12.not.3, i32 0, i32 %7, !dbg !65
  %spec.select.3 = add nsw i32 %add14.3, %spec.select.2, !dbg !65
  %8 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.3, i32 16, i32 0), !dbg !63
  %cmp12.not.4 = icmp samesign ult i32 %and, 16, !dbg !65
  %add14.4 = select i1 %cmp12.not.4, i32 0, i32 %8, !dbg !65
  %spec.select.4 = add nsw i32 %add14.4, %spec.select.3, !dbg !65
  %cmp16 = icmp eq i32 %and, 31, !dbg !66
  br i1 %cmp16, label %if.then17, label %if.end20, !dbg !66

if.then17:                                        ; preds = %cond.end
  %idxprom18 = zext nneg i32 %shr to i64, !dbg !67
  %arrayidx19 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20scan_block_exclusiveE4sums to ptr), i64 %idxprom18, !dbg !67
  store i32 %spec.select.4, ptr %arrayidx19, align 4, !dbg !68, !tbaa !7
  br label %if.end20, !dbg !67

if.end20:                                         ; preds = %if.then17, %cond.end
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !69
  %cmp21 = icmp eq i32 %shr, 0, !dbg !70
  br i1 %cmp21, label %if.then22, label %if.end41, !dbg !70

if.then22:                                        ; preds = %if.end20
  %idxprom23 = zext nneg i32 %and to i64, !dbg !71
  %arrayidx24 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20scan_block_exclusiveE4sums to ptr), i64 %idxprom23, !dbg !71
  %9 = load i32, ptr %arrayidx24, align 4, !dbg !71, !tbaa !7
  %10 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %9, i32 1, i32 0), !dbg !72
  %add34 = select i1 %cmp12.not, i32 0, i32 %10, !dbg !74
  %spec.select85 = add nsw i32 %add34, %9, !dbg !74
  %11 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select85, i32 2, i32 0), !dbg !72
  %add34.1 = select i1 %cmp12.not.1, i32 0, i32 %11, !dbg !74
  %spec.select85.1 = add nsw i32 %add34.1, %spec.select85, !dbg !74
  %12 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select85.1, i32 4, i32 0), !dbg !72
  %add34.2 = select i1 %cmp12.not.2, i32 0, i32 %12, !dbg !74
  %spec.select85.2 = add nsw i32 %add34.2, %spec.select85.1, !dbg !74
  %13 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select85.2, i32 8, i32 0), !dbg !72
  %add34.3 = select i1 %cmp12.not.3, i32 0, i32 %13, !dbg !74
  %spec.select85.3 = add nsw i32 %add34.3, %spec.select85.2, !dbg !74
  %14 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select85.3, i32 16, i32 0), !dbg !72
  %add34.4 = select i1 %cmp12.not.4, i32 0, i32 %14, !dbg !74
  %spec.select85.4 = add nsw i32 %add34.4, %spec.select85.3, !dbg !74
  store i32 %spec.select85.4, ptr %arrayidx24, align 4, !dbg !75, !tbaa !7
  br label %if.end41, !dbg !76

if.end41:                                         ; preds = %if.then22, %if.end20
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !77
  br i1 %cmp21, label %cond.end46, label %cond.true42, !dbg !78

cond.true42:                                      ; preds = %if.end41
  %15 = zext nneg i32 %shr to i64, !dbg !79
  %16 = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @_ZZ20scan_block_exclusiveE4sums to ptr), i64 %15, !dbg !79
  %arrayidx44 = getelementptr i8, ptr %16, i64 -4, !dbg !79
  %17 = load i32, ptr %arrayidx44, align 4, !dbg !79, !tbaa !7
  br label %cond.end46, !dbg !78

cond.end46:                                       ; preds = %if.end41, %cond.true42
  %cond47 = phi i32 [ %17, %cond.true42 ], [ 0, %if.end41 ], !dbg !78
  br i1 %cmp7, label %if.then49, label %if.end54, !dbg !80

if.then49:                                        ; preds = %cond.end46
  %add50 = sub i32 %spec.select.4, %cond, !dbg !81
  %sub51 = add i32 %add50, %cond47, !dbg !82
  %idxprom52 = sext i32 %add to i64, !dbg !83
  %arrayidx53 = getelementptr inbounds i32, ptr %out, i64 %idxprom52, !dbg !83
  store i32 %sub51, ptr %arrayidx53, align 4, !dbg !84, !tbaa !7
  br label %if.end54, !dbg !83

if.end54:                                         ; preds = %if.then49, %cond.end46
  %cmp56 = icmp eq i32 %2, 0, !dbg !85
  br i1 %cmp56, label %if.then57, label %if.end61, !dbg !85

if.then57:                                        ; preds = %if.end54
  %18 = load i32, ptr getelementptr inbounds nuw (i8, ptr addrspacecast (ptr addrspace(3) @_ZZ20scan_block_exclusiveE4sums to ptr), i64 124), align 4, !dbg !86, !tbaa !7
  %idxprom59 = zext nneg i32 %0 to i64, !dbg !87
  %arrayidx60 = getelementptr inbounds nuw i32, ptr %totals, i64 %idxprom59, !dbg !87
  store i32 %18, ptr %arrayidx60, align 4, !dbg !88, !tbaa !7
  br label %if.end61, !dbg !87

if.end61:                                         ; preds = %if.then57, %if.end54
  ret void, !dbg !89
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @scan_segmented(ptr noundef readonly captures(none) %in, ptr noundef readonly captures(none) %head, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #0 !dbg !90 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !91
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !93
  %mul = mul i32 %0, %1, !dbg !95
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !96
  %add = add i32 %mul, %2, !dbg !98
  %and = and i32 %2, 31, !dbg !99
  %cmp = icmp slt i32 %add, %n, !dbg !100
  br i1 %cmp, label %land.rhs, label %land.end, !dbg !101

land.rhs:                                         ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !102
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !102
  %3 = load i32, ptr %arrayidx, align 4, !dbg !102, !tbaa !7
  %arrayidx6 = getelementptr inbounds i8, ptr %head, i64 %idxprom, !dbg !103
  %4 = load i8, ptr %arrayidx6, align 1, !dbg !103, !tbaa !104
  %cmp7 = icmp ne i8 %4, 0, !dbg !105
  br label %land.end

land.end:                                         ; preds = %entry, %land.rhs
  %cond37 = phi i32 [ %3, %land.rhs ], [ 0, %entry ]
  %conv10 = phi i1 [ %cmp7, %land.rhs ], [ false, %entry ], !dbg !106
  %5 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %conv10), !dbg !107
  %or = or i32 %5, 1, !dbg !110
  %sub = xor i32 %and, 31, !dbg !111
  %shr = lshr i32 -1, %sub, !dbg !112
  %and12 = and i32 %or, %shr, !dbg !113
  %6 = tail call noundef range(i32 0, 33) i32 @llvm.ctlz.i32(i32 %and12, i1 true), !dbg !114
  %sub14 = xor i32 %6, 31, !dbg !121
  %invariant.op = sub nsw i32 %and, %sub14, !dbg !122
  %7 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %cond37, i32 1, i32 0), !dbg !123
  %cmp18.not.inv = icmp sgt i32 %invariant.op, 0, !dbg !125
  %add19 = select i1 %cmp18.not.inv, i32 %7, i32 0, !dbg !125
  %spec.select = add nsw i32 %add19, %cond37, !dbg !125
  %8 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select, i32 2, i32 0), !dbg !123
  %cmp18.not.1 = icmp slt i32 %invariant.op, 2, !dbg !125
  %add19.1 = select i1 %cmp18.not.1, i32 0, i32 %8, !dbg !125
  %spec.select.1 = add nsw i32 %add19.1, %spec.select, !dbg !125
  %9 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.1, i32 4, i32 0), !dbg !123
  %cmp18.not.2 = icmp slt i32 %invariant.op, 4, !dbg !125
  %add19.2 = select i1 %cmp18.not.2, i32 0, i32 %9, !dbg !125
  %spec.select.2 = add nsw i32 %add19.2, %spec.select.1, !dbg !125
  %10 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.2, i32 8, i32 0), !dbg !123
  %cmp18.not.3 = icmp slt i32 %invariant.op, 8, !dbg !125
  %add19.3 = select i1 %cmp18.not.3, i32 0, i32 %10, !dbg !125
  %spec.select.3 = add nsw i32 %add19.3, %spec.select.2, !dbg !125
  %11 = tail call noundef i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %spec.select.3, i32 16, i32 0), !dbg !123
  br i1 %cmp, label %if.then21, label %if.end24, !dbg !126

if.then21:                                        ; preds = %land.end
  %cmp18.not.4 = icmp slt i32 %invariant.op, 16, !dbg !125
  %add19.4 = select i1 %cmp18.not.4, i32 0, i32 %11, !dbg !125
  %spec.select.4 = add nsw i32 %add19.4, %spec.select.3, !dbg !125
  %idxprom22 = sext i32 %add to i64, !dbg !127
  %arrayidx23 = getelementptr inbounds i32, ptr %out, i64 %idxprom22, !dbg !127
  store i32 %spec.select.4, ptr %arrayidx23, align 4, !dbg !128, !tbaa !7
  br label %if.end24, !dbg !127

if.end24:                                         ; preds = %if.then21, %land.end
  ret void, !dbg !129
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @scan_running_max(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 !dbg !130 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !131
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !133
  %mul = mul i32 %0, %1, !dbg !135
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !136
  %add = add i32 %mul, %2, !dbg !138
  %idxprom = sext i32 %add to i64, !dbg !139
  %arrayidx = getelementptr inbounds float, ptr %in, i64 %idxprom, !dbg !139
  %3 = load float, ptr %arrayidx, align 4, !dbg !139, !tbaa !140
  %4 = tail call contract noundef float @llvm.nvvm.shfl.sync.up.f32(i32 -1, float %3, i32 1, i32 6144), !dbg !142
  %5 = tail call contract noundef float @llvm.nvvm.fmax.f(float %3, float %4), !dbg !145
  %6 = tail call contract noundef float @llvm.nvvm.shfl.sync.up.f32(i32 -1, float %5, i32 2, i32 6144), !dbg !142
  %7 = tail call contract noundef float @llvm.nvvm.fmax.f(float %5, float %6), !dbg !145
  %8 = tail call contract noundef float @llvm.nvvm.shfl.sync.up.f32(i32 -1, float %7, i32 4, i32 6144), !dbg !142
  %9 = tail call contract noundef float @llvm.nvvm.fmax.f(float %7, float %8), !dbg !145
  %arrayidx6 = getelementptr inbounds float, ptr %out, i64 %idxprom, !dbg !151
  store float %9, ptr %arrayidx6, align 4, !dbg !152, !tbaa !140
  ret void, !dbg !153
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32) #4

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #3

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.up.f32(i32, float, i32, i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.nvvm.fmax.f(float, float) #3

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5}
!llvm.ident = !{!6}
!llvm.errno.tbaa = !{!7}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "clang version 22.1.0 (https://codeberg.org/YoWASP/llvm-project 9560ae0f2cc440e4fc891fddbc119da6f56daa59)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "/<stdin>", directory: "")
!2 = !{i32 7, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{!"clang version 22.1.0 (https://codeberg.org/YoWASP/llvm-project 9560ae0f2cc440e4fc891fddbc119da6f56daa59)"}
!7 = !{!8, !8, i64 0}
!8 = !{!"int", !9, i64 0}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C++ TBAA"}
!11 = distinct !DISubprogram(name: "scan_warp", scope: !12, file: !12, line: 4, type: !13, scopeLine: 4, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!12 = !DIFile(filename: "/scan.cu", directory: "")
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !18)
!16 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 66, type: !13, scopeLine: 66, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!17 = !DIFile(filename: "/usr/include/__clang_cuda_builtin_vars.h", directory: "")
!18 = distinct !DILocation(line: 5, column: 11, scope: !11)
!19 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !21)
!20 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 79, type: !13, scopeLine: 79, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!21 = distinct !DILocation(line: 5, column: 24, scope: !11)
!22 = !DILocation(line: 5, column: 22, scope: !11)
!23 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !25)
!24 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 53, type: !13, scopeLine: 53, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!25 = distinct !DILocation(line: 5, column: 37, scope: !11)
!26 = !DILocation(line: 5, column: 35, scope: !11)
!27 = !DILocation(line: 6, column: 26, scope: !11)
!28 = !DILocation(line: 7, column: 18, scope: !11)
!29 = !DILocation(line: 7, column: 16, scope: !11)
!30 = !DILocation(line: 7, column: 24, scope: !11)
!31 = !DILocation(line: 177, column: 38, scope: !32, inlinedAt: !34)
!32 = distinct !DISubprogram(name: "__shfl_up_sync", scope: !33, file: !33, line: 177, type: !13, scopeLine: 177, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!33 = !DIFile(filename: "/usr/include/__clang_cuda_intrinsics.h", directory: "")
!34 = distinct !DILocation(line: 177, column: 1, scope: !35, inlinedAt: !36)
!35 = distinct !DISubprogram(name: "__shfl_up_sync", scope: !33, file: !33, line: 177, type: !13, scopeLine: 177, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!36 = distinct !DILocation(line: 10, column: 18, scope: !11)
!37 = !DILocation(line: 11, column: 14, scope: !11)
!38 = !DILocation(line: 13, column: 9, scope: !11)
!39 = !DILocation(line: 14, column: 3, scope: !11)
!40 = !DILocation(line: 14, column: 16, scope: !11)
!41 = !DILocation(line: 15, column: 20, scope: !11)
!42 = !DILocation(line: 15, column: 3, scope: !11)
!43 = !DILocation(line: 15, column: 16, scope: !11)
!44 = !DILocation(line: 16, column: 1, scope: !11)
!45 = distinct !DISubprogram(name: "scan_block_exclusive", scope: !12, file: !12, line: 19, type: !13, scopeLine: 19, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!46 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !47)
!47 = distinct !DILocation(line: 21, column: 11, scope: !45)
!48 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !49)
!49 = distinct !DILocation(line: 21, column: 24, scope: !45)
!50 = !DILocation(line: 21, column: 22, scope: !45)
!51 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !52)
!52 = distinct !DILocation(line: 21, column: 37, scope: !45)
!53 = !DILocation(line: 21, column: 35, scope: !45)
!54 = !DILocation(line: 22, column: 26, scope: !45)
!55 = !DILocation(line: 22, column: 51, scope: !45)
!56 = !DILocation(line: 23, column: 19, scope: !45)
!57 = !DILocation(line: 23, column: 25, scope: !45)
!58 = !DILocation(line: 23, column: 43, scope: !45)
!59 = !DILocation(line: 24, column: 3, scope: !45)
!60 = !DILocation(line: 25, column: 13, scope: !45)
!61 = !DILocation(line: 25, column: 11, scope: !45)
!62 = !DILocation(line: 25, column: 19, scope: !45)
!63 = !DILocation(line: 177, column: 38, scope: !32, inlinedAt: !64)
!64 = distinct !DILocation(line: 27, column: 13, scope: !45)
!65 = !DILocation(line: 28, column: 14, scope: !45)
!66 = !DILocation(line: 30, column: 12, scope: !45)
!67 = !DILocation(line: 30, column: 19, scope: !45)
!68 = !DILocation(line: 30, column: 30, scope: !45)
!69 = !DILocation(line: 31, column: 3, scope: !45)
!70 = !DILocation(line: 32, column: 12, scope: !45)
!71 = !DILocation(line: 33, column: 13, scope: !45)
!72 = !DILocation(line: 177, column: 38, scope: !32, inlinedAt: !73)
!73 = distinct !DILocation(line: 35, column: 15, scope: !45)
!74 = !DILocation(line: 36, column: 16, scope: !45)
!75 = !DILocation(line: 38, column: 16, scope: !45)
!76 = !DILocation(line: 39, column: 3, scope: !45)
!77 = !DILocation(line: 40, column: 3, scope: !45)
!78 = !DILocation(line: 41, column: 16, scope: !45)
!79 = !DILocation(line: 41, column: 23, scope: !45)
!80 = !DILocation(line: 42, column: 9, scope: !45)
!81 = !DILocation(line: 42, column: 30, scope: !45)
!82 = !DILocation(line: 42, column: 34, scope: !45)
!83 = !DILocation(line: 42, column: 14, scope: !45)
!84 = !DILocation(line: 42, column: 21, scope: !45)
!85 = !DILocation(line: 43, column: 19, scope: !45)
!86 = !DILocation(line: 43, column: 46, scope: !45)
!87 = !DILocation(line: 43, column: 25, scope: !45)
!88 = !DILocation(line: 43, column: 44, scope: !45)
!89 = !DILocation(line: 44, column: 1, scope: !45)
!90 = distinct !DISubprogram(name: "scan_segmented", scope: !12, file: !12, line: 47, type: !13, scopeLine: 47, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!91 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !92)
!92 = distinct !DILocation(line: 48, column: 11, scope: !90)
!93 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !94)
!94 = distinct !DILocation(line: 48, column: 24, scope: !90)
!95 = !DILocation(line: 48, column: 22, scope: !90)
!96 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !97)
!97 = distinct !DILocation(line: 48, column: 37, scope: !90)
!98 = !DILocation(line: 48, column: 35, scope: !90)
!99 = !DILocation(line: 49, column: 26, scope: !90)
!100 = !DILocation(line: 50, column: 19, scope: !90)
!101 = !DILocation(line: 51, column: 11, scope: !90)
!102 = !DILocation(line: 51, column: 20, scope: !90)
!103 = !DILocation(line: 52, column: 27, scope: !90)
!104 = !{!9, !9, i64 0}
!105 = !DILocation(line: 52, column: 35, scope: !90)
!106 = !DILocation(line: 0, scope: !90)
!107 = !DILocation(line: 211, column: 10, scope: !108, inlinedAt: !109)
!108 = distinct !DISubprogram(name: "__ballot_sync", scope: !33, file: !33, line: 210, type: !13, scopeLine: 210, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!109 = distinct !DILocation(line: 53, column: 20, scope: !90)
!110 = !DILocation(line: 53, column: 55, scope: !90)
!111 = !DILocation(line: 54, column: 54, scope: !90)
!112 = !DILocation(line: 54, column: 47, scope: !90)
!113 = !DILocation(line: 54, column: 32, scope: !90)
!114 = !DILocation(line: 20, column: 42, scope: !115, inlinedAt: !117)
!115 = distinct !DISubprogram(name: "__nv_clz", scope: !116, file: !116, line: 20, type: !13, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!116 = !DIFile(filename: "/headers/libdevice.h", directory: "")
!117 = distinct !DILocation(line: 49, column: 40, scope: !118, inlinedAt: !120)
!118 = distinct !DISubprogram(name: "__clz", scope: !119, file: !119, line: 49, type: !13, scopeLine: 49, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!119 = !DIFile(filename: "/usr/include/__clang_cuda_device_functions.h", directory: "")
!120 = distinct !DILocation(line: 54, column: 20, scope: !90)
!121 = !DILocation(line: 54, column: 18, scope: !90)
!122 = !DILocation(line: 55, column: 8, scope: !90)
!123 = !DILocation(line: 177, column: 38, scope: !32, inlinedAt: !124)
!124 = distinct !DILocation(line: 56, column: 13, scope: !90)
!125 = !DILocation(line: 57, column: 18, scope: !90)
!126 = !DILocation(line: 59, column: 7, scope: !90)
!127 = !DILocation(line: 59, column: 15, scope: !90)
!128 = !DILocation(line: 59, column: 22, scope: !90)
!129 = !DILocation(line: 60, column: 1, scope: !90)
!130 = distinct !DISubprogram(name: "scan_running_max", scope: !12, file: !12, line: 63, type: !13, scopeLine: 63, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!131 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !132)
!132 = distinct !DILocation(line: 64, column: 11, scope: !130)
!133 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !134)
!134 = distinct !DILocation(line: 64, column: 24, scope: !130)
!135 = !DILocation(line: 64, column: 22, scope: !130)
!136 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !137)
!137 = distinct !DILocation(line: 64, column: 37, scope: !130)
!138 = !DILocation(line: 64, column: 35, scope: !130)
!139 = !DILocation(line: 65, column: 13, scope: !130)
!140 = !{!141, !141, i64 0}
!141 = !{!"float", !9, i64 0}
!142 = !DILocation(line: 178, column: 22, scope: !143, inlinedAt: !144)
!143 = distinct !DISubprogram(name: "__shfl_up_sync", scope: !33, file: !33, line: 177, type: !13, scopeLine: 177, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!144 = distinct !DILocation(line: 67, column: 15, scope: !130)
!145 = !DILocation(line: 135, column: 1, scope: !146, inlinedAt: !147)
!146 = distinct !DISubprogram(name: "__nv_fmaxf", scope: !116, file: !116, line: 135, type: !13, scopeLine: 135, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!147 = distinct !DILocation(line: 136, column: 55, scope: !148, inlinedAt: !150)
!148 = distinct !DISubprogram(name: "fmaxf", scope: !149, file: !149, line: 136, type: !13, scopeLine: 136, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!149 = !DIFile(filename: "/usr/include/__clang_cuda_math.h", directory: "")
!150 = distinct !DILocation(line: 68, column: 9, scope: !130)
!151 = !DILocation(line: 70, column: 3, scope: !130)
!152 = !DILocation(line: 70, column: 10, scope: !130)
!153 = !DILocation(line: 71, column: 1, scope: !130)
