// Devices: their properties, attributes and limits.
#pragma once

struct cudaUUID_t { char bytes[16]; };

// The members that programs read. Their offsets are not CUDA's.
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment, texturePitchAlignment;
  size_t surfaceAlignment, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
  int regsPerBlock, regsPerMultiprocessor, warpSize;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, multiProcessorCount;
  int major, minor, clockRate, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int accessPolicyMaxWindowSize, deviceOverlap, asyncEngineCount, concurrentKernels, kernelExecTimeoutEnabled;
  int integrated, canMapHostMemory, computeMode, ECCEnabled, tccDriver, unifiedAddressing, streamPrioritiesSupported;
  int pciBusID, pciDeviceID, pciDomainID;
  int managedMemory, concurrentManagedAccess, pageableMemoryAccess, pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch, globalL1CacheSupported, localL1CacheSupported;
  int hostRegisterSupported, memoryPoolsSupported, clusterLaunch;
  int maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxPitch = 11,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrTextureAlignment = 14,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrKernelExecTimeout = 17,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrEccEnabled = 32,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34,
  cudaDevAttrTccDriver = 35,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrStreamPrioritiesSupported = 78,
  cudaDevAttrGlobalL1CacheSupported = 79,
  cudaDevAttrLocalL1CacheSupported = 80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrHostNativeAtomicSupported = 86,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrComputePreemptionSupported = 90,
  cudaDevAttrCanUseHostPointerForRegisteredMem = 91,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrHostRegisterSupported = 99,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100,
  cudaDevAttrDirectManagedMemAccessFromHost = 101,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMaxPersistingL2CacheSize = 108,
  cudaDevAttrMaxAccessPolicyWindowSize = 109,
  cudaDevAttrReservedSharedMemoryPerBlock = 111,
  cudaDevAttrMemoryPoolsSupported = 115,
  cudaDevAttrClusterLaunch = 120,
};

enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeExclusive,
  cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess,
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity,
  cudaLimitPersistingL2CacheSize,
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported,
  cudaDevP2PAttrCudaArrayAccessSupported,
};

#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceBlockingSync 4
#define cudaDeviceMapHost 8
#define cudaDeviceLmemResizeToMax 16

extern "C" {
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *properties);
cudaError_t __lanewiseDeviceName(char *name, size_t bytes, int device);
size_t __lanewiseDeviceMemory();
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int source, int target);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaCtxResetPersistingL2Cache();
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

// The attributes of the device as the members of a struct. The others are 0.
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  memset(p, 0, sizeof(cudaDeviceProp));
  cudaError_t error = __lanewiseDeviceName(p->name, sizeof p->name, device);
  if (error != cudaSuccess) return error;
  const auto value = [](cudaDeviceAttr attribute) {
    int result = 0;
    cudaDeviceGetAttribute(&result, attribute, 0);
    return result;
  };
  p->totalGlobalMem = __lanewiseDeviceMemory();
  p->sharedMemPerBlock = p->sharedMemPerBlockOptin = value(cudaDevAttrMaxSharedMemoryPerBlock);
  p->sharedMemPerMultiprocessor = value(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p->memPitch = value(cudaDevAttrMaxPitch);
  p->totalConstMem = value(cudaDevAttrTotalConstantMemory);
  p->textureAlignment = p->surfaceAlignment = value(cudaDevAttrTextureAlignment);
  p->texturePitchAlignment = 32;
  p->regsPerBlock = value(cudaDevAttrMaxRegistersPerBlock);
  p->regsPerMultiprocessor = value(cudaDevAttrMaxRegistersPerMultiprocessor);
  p->warpSize = value(cudaDevAttrWarpSize);
  p->maxThreadsPerBlock = value(cudaDevAttrMaxThreadsPerBlock);
  p->maxThreadsDim[0] = value(cudaDevAttrMaxBlockDimX);
  p->maxThreadsDim[1] = value(cudaDevAttrMaxBlockDimY);
  p->maxThreadsDim[2] = value(cudaDevAttrMaxBlockDimZ);
  p->maxGridSize[0] = value(cudaDevAttrMaxGridDimX);
  p->maxGridSize[1] = value(cudaDevAttrMaxGridDimY);
  p->maxGridSize[2] = value(cudaDevAttrMaxGridDimZ);
  p->maxThreadsPerMultiProcessor = value(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->maxBlocksPerMultiProcessor = value(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->multiProcessorCount = value(cudaDevAttrMultiProcessorCount);
  p->major = value(cudaDevAttrComputeCapabilityMajor);
  p->minor = value(cudaDevAttrComputeCapabilityMinor);
  p->clockRate = value(cudaDevAttrClockRate);
  p->memoryClockRate = value(cudaDevAttrMemoryClockRate);
  p->memoryBusWidth = value(cudaDevAttrGlobalMemoryBusWidth);
  p->l2CacheSize = value(cudaDevAttrL2CacheSize);
  p->persistingL2CacheMaxSize = value(cudaDevAttrMaxPersistingL2CacheSize);
  p->accessPolicyMaxWindowSize = value(cudaDevAttrMaxAccessPolicyWindowSize);
  p->asyncEngineCount = value(cudaDevAttrAsyncEngineCount);
  p->concurrentKernels = value(cudaDevAttrConcurrentKernels);
  p->canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  p->unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  p->managedMemory = value(cudaDevAttrManagedMemory);
  p->cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  p->globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  p->localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  p->singleToDoublePrecisionPerfRatio = 2;
  return cudaSuccess;
}
