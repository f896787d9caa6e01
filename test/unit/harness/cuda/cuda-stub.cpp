// A CUDA driver for tests: device memory is host memory, and a kernel does what its name says. Parameters are those that the PTX
// text declares, so what a launch passes arrives here as a real kernel would get it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

enum Result { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, NO_BINARY = 209, INVALID_PTX = 218, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, INVALID_CLUSTER = 912 };

struct Module {
  std::string text;
  uint32_t counter = 0;  // its `.global` variable
};
struct Function {
  Module *module;
  std::string name;
  std::vector<size_t> sizes;
  int dynamicShared = 0;
  bool allowsLargeClusters = false;
};

int sticky = SUCCESS;
int pending = 0;  // queries of the stream until it is idle; below 0: never
uint32_t loads = 0;
std::map<uint64_t, size_t> allocations;
int events = 0;

size_t sizeOf(const std::string &type) { return atoi(type.c_str() + 1) / 8; }

// ".param .align 4 .b8 x[12]", ".param .u64 p"
size_t declaredSize(const std::string &declaration) {
  size_t bracket = declaration.find('[');
  size_t count = bracket == std::string::npos ? 1 : atoi(declaration.c_str() + bracket + 1);
  size_t type = declaration.rfind('.');
  return count * sizeOf(declaration.substr(type + 1));
}

std::vector<size_t> declaredSizes(const std::string &text, size_t entry) {
  std::vector<size_t> sizes;
  size_t end = text.find(')', entry);
  for (size_t at = text.find(".param", entry); at < end; at = text.find(".param", at + 1)) {
    size_t stop = text.find_first_of(",)", at);
    sizes.push_back(declaredSize(text.substr(at, stop - at)));
  }
  return sizes;
}

// The driver's structures, as C lays them out.
struct ArrayShape {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct CopyEnd {
  size_t x, y, z, lod;
  int type;
  uint8_t *host;
  uint64_t device;
  struct Array *array;
  void *reserved;
  size_t pitch, height;
};
struct Copy {
  CopyEnd from, to;
  size_t rowBytes, height, depth;
};
struct Resource {
  int type;
  union {
    struct Array *array;
    struct {
      uint8_t *address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    int reserved[32];
  };
  unsigned flags;
};
struct Sampler {
  int address[3], filter;
  unsigned flags, anisotropy;
  int mipmapFilter;
  float bias, least, most, border[4];
  int reserved[12];
};

// Texels of arrays are host memory, in rows without gaps.
struct Array {
  ArrayShape shape;
  std::vector<uint8_t> texels;
  size_t row;
};
struct Texture {
  Resource resource;
  Sampler sampler;
};
struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned value[16];
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  uint64_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
};
int images = 0;

template <typename T> T valueAt(void **params, int index) {
  T value;
  memcpy(&value, params[index], sizeof value);
  return value;
}

}  // namespace

#define API extern "C" int
#define CHECK if (sticky) return sticky

API cuInit(unsigned) {
  const char *code = getenv("STUB_CUDA_INIT");
  return code ? atoi(code) : SUCCESS;
}
API cuDriverGetVersion(int *version) { return *version = 12080, SUCCESS; }
API cuDeviceGetCount(int *count) { return *count = 1, SUCCESS; }
API cuDeviceGet(int *device, int) { return *device = 0, SUCCESS; }
API cuDeviceGetName(char *name, int size, int) { return snprintf(name, size, "Stub GPU"), SUCCESS; }
API cuDeviceGetAttribute(int *value, int attribute, int) {
  const std::map<int, int> values{{13, 1980000}, {16, 4}, {75, 9}, {76, 0}, {97, 232448}};
  auto found = values.find(attribute);
  if (found == values.end()) return INVALID_VALUE;
  return *value = found->second, SUCCESS;
}
API cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = 1ull << 37, SUCCESS; }
API cuDevicePrimaryCtxRetain(uint64_t *context, int) { return *context = 0xC0, SUCCESS; }
API cuCtxSetCurrent(uint64_t context) { return context == 0xC0 ? SUCCESS : INVALID_VALUE; }
API cuCtxSetLimit(unsigned limit, size_t bytes) { return limit == 1 && bytes >= 1 << 20 ? SUCCESS : INVALID_VALUE; }
API cuCtxSynchronize() {
  while (pending < 0) pause();
  pending = 0;
  return sticky;
}
API cuStreamQuery(uint64_t) {
  CHECK;
  if (pending > 0) pending--;
  return pending ? NOT_READY : SUCCESS;
}

API cuModuleLoadDataEx(uint64_t *module, const char *text, unsigned count, const int *options, void **values) {
  CHECK;
  std::map<int, void *> given;
  for (unsigned i = 0; i < count; i++) given[options[i]] = values[i];
  if (!given.count(5) || (size_t)given[6] < 1024 || (size_t)given[4] < 1024) return INVALID_VALUE;
  loads++;
  if (strstr(text, "ENDS THE COMPILER")) abort();
  const char *wrong = strstr(text, "WRONG");
  if (wrong) {
    int line = 1;
    for (const char *c = text; c < wrong; c++) line += *c == '\n';
    snprintf((char *)given[5], (size_t)given[6], "ptxas application ptx input, line %d; error   : Unknown symbol 'WRONG'\nptxas fatal   : Ptx assembly aborted due to errors", line);
    return INVALID_PTX;
  }
  if (strstr(text, ".target sm_999")) return NO_BINARY;
  snprintf((char *)given[3], (size_t)given[4], "%s", strstr(text, "NOTED") ? "ptxas info    : noted" : "");
  *module = (uint64_t) new Module{text};
  return SUCCESS;
}
API cuModuleUnload(Module *module) { return delete module, SUCCESS; }
API cuModuleGetFunction(uint64_t *function, Module *module, const char *name) {
  CHECK;
  size_t entry = module->text.find(".entry " + std::string(name) + "(");
  if (entry == std::string::npos) return NOT_FOUND;
  // Compiled with others, a kernel has a number behind its name.
  std::string known(name);
  size_t number = known.find_last_not_of("0123456789");
  if (number + 1 < known.size() && known[number] == '_') known.resize(number);
  *function = (uint64_t) new Function{module, known, declaredSizes(module->text, entry)};
  return SUCCESS;
}
API cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *size) {
  if (index >= function->sizes.size()) return INVALID_VALUE;
  *offset = 0;
  *size = function->sizes[index];
  return SUCCESS;
}
API cuFuncSetAttribute(Function *function, int attribute, int value) {
  if (attribute == 14) return function->allowsLargeClusters = value, SUCCESS;
  if (attribute != 8 || value > 232448) return INVALID_VALUE;
  return function->dynamicShared = value, SUCCESS;
}

API cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  CHECK;
  if (bytes > 1 << 28) return OUT_OF_MEMORY;
  *address = (uint64_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset((void *)*address, 0xEE, bytes);
  return allocations[*address] = bytes, SUCCESS;
}
API cuMemFree_v2(uint64_t address) {
  if (!allocations.erase(address)) return INVALID_VALUE;
  return free((void *)address), SUCCESS;
}
API cuMemsetD8_v2(uint64_t address, int value, size_t bytes) { CHECK; return memset((void *)address, value, bytes), SUCCESS; }
API cuMemcpyHtoD_v2(uint64_t address, const void *from, size_t bytes) { CHECK; return memcpy((void *)address, from, bytes), SUCCESS; }
API cuMemcpyDtoH_v2(void *to, uint64_t address, size_t bytes) { CHECK; return memcpy(to, (void *)address, bytes), SUCCESS; }

API cuArray3DCreate_v2(Array **array, const ArrayShape *shape) {
  CHECK;
  const std::map<int, size_t> sizes{{1, 1}, {8, 1}, {2, 2}, {9, 2}, {16, 2}, {3, 4}, {10, 4}, {32, 4}};
  size_t row = shape->width * shape->channels * sizes.at(shape->format);
  size_t rows = std::max<size_t>(shape->height, 1) * std::max<size_t>(shape->depth, 1);
  return *array = new Array{*shape, std::vector<uint8_t>(row * rows, 0xEE), row}, images++, SUCCESS;
}
API cuArrayDestroy(Array *array) { return delete array, images--, SUCCESS; }
API cuMemcpy3D_v2(const Copy *copy) {
  CHECK;
  bool isUpload = copy->from.type == 1 && copy->to.type == 3;
  if (!isUpload && !(copy->from.type == 3 && copy->to.type == 1)) return INVALID_VALUE;
  const CopyEnd &host = isUpload ? copy->from : copy->to;
  Array *array = (isUpload ? copy->to : copy->from).array;
  if (copy->rowBytes != array->row || host.pitch != array->row || host.height != copy->height) return INVALID_VALUE;
  size_t bytes = copy->rowBytes * copy->height * copy->depth;
  if (bytes != array->texels.size()) return INVALID_VALUE;
  return memcpy(isUpload ? array->texels.data() : host.host, isUpload ? host.host : array->texels.data(), bytes), SUCCESS;
}
API cuTexObjectCreate(Texture **texture, const Resource *resource, const Sampler *sampler, void *view) {
  CHECK;
  if (view || sizeof(Resource) != 144 || sizeof(Sampler) != 104) return INVALID_VALUE;
  return *texture = new Texture{*resource, *sampler}, images++, SUCCESS;
}
API cuTexObjectDestroy(Texture *texture) { return delete texture, images--, SUCCESS; }
API cuSurfObjectCreate(Array **surface, const Resource *resource) {
  CHECK;
  return resource->type ? INVALID_VALUE : (*surface = resource->array, images++, SUCCESS);
}
API cuSurfObjectDestroy(Array *) { return images--, SUCCESS; }

API cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uint64_t stream, void **params, void **) {
  CHECK;
  const std::string &name = function->name;
  if (stream || bx * by * bz > 1024 || (shared > 48 * 1024 && (unsigned)function->dynamicShared < shared)) return INVALID_VALUE;
  pending = 3;
  if (name == "no_params") return SUCCESS;
  uint8_t *out = valueAt<uint8_t *>(params, 0);
  uint32_t *words = (uint32_t *)out;
  if (name == "dump_params") {
    // Every other parameter's bytes, one after another.
    for (size_t i = 1; i < function->sizes.size(); out += function->sizes[i++]) memcpy(out, params[i], function->sizes[i]);
  } else if (name == "vector_add") {
    const float *x = valueAt<const float *>(params, 0), *y = valueAt<const float *>(params, 1);
    for (uint32_t i = 0; i < valueAt<uint32_t>(params, 3); i++) valueAt<float *>(params, 2)[i] = x[i] + y[i];
  } else if (name == "geometry") {
    const uint32_t values[] = {gx, gy, gz, bx, by, bz, shared};
    memcpy(out, values, sizeof values);
  } else if (name == "count_up") {
    words[0] = ++function->module->counter;
    words[1] = loads;
    words[2] = allocations.size();
    words[3] = getpid();
  } else if (name == "fragment") {
    // One input and one output register: what a fragment that adds 1 makes.
    for (unsigned i = 0; i < gx * bx; i++) valueAt<uint32_t *>(params, 1)[i] = words[i] + 1;
  } else if (name == "add_one") {
    words[0]++;
  } else if (name == "read_before") {
    words[0] = out[-1];
  } else if (name == "write_at") {
    out[valueAt<int32_t>(params, 1)] ^= 0xFF;
  } else if (name == "copy_texels") {
    // What a texture's descriptors say, then its texels into a surface.
    const Texture *texture = valueAt<const Texture *>(params, 1);
    const Array *array = texture->resource.type ? nullptr : texture->resource.array;
    const Sampler &sampler = texture->sampler;
    const ArrayShape shape = array ? array->shape : ArrayShape{texture->resource.linear.bytes, 0, 0, texture->resource.linear.format, texture->resource.linear.channels, 0};
    const uint32_t values[] = {(uint32_t)shape.width, (uint32_t)shape.height, (uint32_t)shape.depth, (uint32_t)shape.format, shape.channels, shape.flags, (uint32_t)sampler.address[0], (uint32_t)sampler.address[1], (uint32_t)sampler.address[2], (uint32_t)sampler.filter, sampler.flags, (uint32_t)images};
    memcpy(out, values, sizeof values);
    memcpy(out + sizeof values, sampler.border, sizeof sampler.border);
    if (array) valueAt<Array *>(params, 2)->texels = array->texels;
  } else if (name == "print") {
    // In C's buffer until it is flushed.
    printf("lane %d\n", 1);
    printf("lane %d: ", 0);
    printf("Grüße\n");
  } else if (name == "write_nothing") {
    // As it says.
  } else if (name == "illegal") {
    sticky = ILLEGAL_ADDRESS;
  } else if (name == "endless") {
    pending = -1;
  } else if (name == "crash") {
    fprintf(stderr, "the stub driver crashes\n");
    abort();
  } else {
    return INVALID_VALUE;
  }
  return SUCCESS;
}
API cuLaunchCooperativeKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uint64_t stream, void **params) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, nullptr);
}

API cuLaunchKernelEx(const LaunchConfig *config, Function *function, void **params, void **extra) {
  CHECK;
  if (sizeof(LaunchConfig) != 56 || sizeof(LaunchAttribute) != 72 || extra) return INVALID_VALUE;
  unsigned cluster[3] = {1, 1, 1}, cooperative = 0;
  for (unsigned i = 0; i < config->count; i++) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == 4) memcpy(cluster, attribute.value, sizeof cluster);
    else if (attribute.id == 2) cooperative = attribute.value[0];
    else return INVALID_VALUE;
  }
  if (cluster[0] * cluster[1] * cluster[2] > (function->allowsLargeClusters ? 16 : 8)) return INVALID_CLUSTER;
  for (int axis = 0; axis < 3; axis++) if (config->grid[axis] % cluster[axis]) return INVALID_CLUSTER;
  const unsigned *grid = config->grid, *block = config->block;
  if (int code = cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], config->shared, config->stream, params, nullptr)) return code;
  if (function->name != "geometry") return SUCCESS;
  uint32_t *words = valueAt<uint32_t *>(params, 0) + 7;
  return memcpy(words, cluster, sizeof cluster), words[3] = cooperative, SUCCESS;
}

API cuEventCreate(uint64_t *event, unsigned) { return events++, *event = 0xE0 + events, SUCCESS; }
API cuEventRecord(uint64_t event, uint64_t) { return event > 0xE0 ? SUCCESS : INVALID_VALUE; }
API cuEventElapsedTime(float *ms, uint64_t start, uint64_t end) { return *ms = end - start + 0.5f, SUCCESS; }
API cuEventDestroy_v2(uint64_t) { return events--, SUCCESS; }

API cuGetErrorName(int code, const char **text) {
  const std::map<int, const char *> names{{1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {100, "CUDA_ERROR_NO_DEVICE"}, {218, "CUDA_ERROR_INVALID_PTX"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"}};
  auto found = names.find(code);
  if (found == names.end()) return INVALID_VALUE;
  return *text = found->second, SUCCESS;
}
API cuGetErrorString(int code, const char **text) {
  const std::map<int, const char *> texts{{1, "invalid argument"}, {2, "out of memory"}, {100, "no CUDA-capable device is detected"}, {218, "a PTX JIT compilation failed"}, {700, "an illegal memory access was encountered"}, {912, "cluster misconfiguration"}};
  auto found = texts.find(code);
  if (found == texts.end()) return INVALID_VALUE;
  return *text = found->second, SUCCESS;
}
