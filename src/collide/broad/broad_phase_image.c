// A broad phase as bytes, and as one number.
//
// An image is a header, then per proxy box, state and flags, then free numbers, then keys of pairs. Trees
// are built again.
#include "base/containers/hash.h"
#include "base/report/assert.h"
#include "collide/broad/broad_phase_state.h"

#include <string.h>

uint64_t cnBroadPhase_Hash(const cnBroadPhase* broadPhase) {
    cnHash hash = cnHash_Start();
    cnHash_AddU64(&hash, (uint64_t)broadPhase->proxies.count);
    for (int i = 0; i < broadPhase->proxies.count; ++i) {
        const cnBroadProxy* proxy = &broadPhase->proxies.data[i];
        cnHash_AddU64(&hash, (uint64_t)proxy->state << 8 | broadPhase->flags.data[i]);
        for (int axis = 0; axis < 3; ++axis) {
            cnHash_AddFloat(&hash, proxy->box.lower[axis]);
            cnHash_AddFloat(&hash, proxy->box.upper[axis]);
        }
    }
    for (int number = broadPhase->firstFree; number >= 0; number = broadPhase->proxies.data[number].leaf) {
        cnHash_AddU64(&hash, (uint64_t)number);
    }
    uint64_t sum = 0;
    for (int i = 0; i < broadPhase->pairs.count; ++i) {
        sum += cnMix64(broadPhase->pairs.data[i]);
    }
    cnHash_AddU64(&hash, (uint64_t)broadPhase->pairs.count);
    cnHash_AddU64(&hash, sum);
    return hash.value;
}

enum {
    imageMagic = 0x70424e43
}; // "CNBp"

typedef struct ImageHeader {
    uint32_t magic;
    int32_t proxyCount;
    int32_t freeCount;
    int32_t pairCount;
} ImageHeader;

typedef struct ImageProxy {
    cnTreeBox box;
    uint32_t state;
    uint32_t flags;
} ImageProxy;

static size_t ImageBytes(ImageHeader header) {
    return sizeof header + (size_t)header.proxyCount * sizeof(ImageProxy) +
           (size_t)header.freeCount * sizeof(int32_t) + (size_t)header.pairCount * sizeof(uint64_t);
}

static ImageHeader ImageHeaderOf(const cnBroadPhase* broadPhase) {
    int proxyCount = broadPhase->proxies.count;
    return (ImageHeader){imageMagic, proxyCount, proxyCount - cnBroadPhase_GetProxyCount(broadPhase),
                         broadPhase->pairs.count};
}

size_t cnBroadPhase_GetImageBytes(const cnBroadPhase* broadPhase) {
    return ImageBytes(ImageHeaderOf(broadPhase));
}

static char* Write(char* target, const void* source, size_t bytes) {
    memcpy(target, source, bytes);
    return target + bytes;
}

static const char* Read(const char* source, void* target, size_t bytes) {
    memcpy(target, source, bytes);
    return source + bytes;
}

void cnBroadPhase_SaveImage(const cnBroadPhase* broadPhase, void* image) {
    ImageHeader header = ImageHeaderOf(broadPhase);
    char* target = Write(image, &header, sizeof header);
    for (int i = 0; i < header.proxyCount; ++i) {
        const cnBroadProxy* proxy = &broadPhase->proxies.data[i];
        uint32_t state = proxy->state & ~(uint32_t)cn_proxyUnbounded;
        ImageProxy row = {proxy->box, state, broadPhase->flags.data[i]};
        target = Write(target, &row, sizeof row);
    }
    for (int number = broadPhase->firstFree; number >= 0; number = broadPhase->proxies.data[number].leaf) {
        target = Write(target, &(int32_t){number}, sizeof(int32_t));
    }
    for (int i = 0; i < header.pairCount; ++i) {
        target = Write(target, &broadPhase->pairs.data[i], sizeof(uint64_t));
    }
}

// All memory that an image needs.
static bool ReserveFor(cnBroadPhase* loaded, ImageHeader header, const char* source) {
    int moving = 0;
    for (int i = 0; i < header.proxyCount; ++i) {
        ImageProxy row;
        source = Read(source, &row, sizeof row);
        moving += (row.state & cn_proxyMoves) != 0;
    }
    return cnBroadPhase_Reserve(loaded, header.proxyCount) &&
           cnArray_Reserve(&loaded->pairs, header.pairCount) &&
           cnPairSet_Reserve(&loaded->set, header.pairCount) &&
           cnBoundsTree_Reserve(&loaded->trees[0], header.proxyCount - moving) &&
           cnBoundsTree_Reserve(&loaded->trees[1], moving);
}

// Not inside out: centres and areas of such boxes leave the range of f32. A body that has become NaN has a
// box of NaN, which stands in no tree.
static bool IsBox(const cnTreeBox* box) {
    bool isInsideOut = false;
    for (int axis = 0; axis < 3; ++axis) {
        isInsideOut |= box->lower[axis] > box->upper[axis];
    }
    return !isInsideOut;
}

// Whether a row is a proxy, or a free number, with flags that are some.
static bool IsRow(const ImageProxy* row) {
    if (row->state == 0) {
        return (row->flags & ~(uint32_t)cn_flagRemoved) == 0;
    }
    uint32_t flags = cn_flagMoved | cn_flagTouched | cn_flagRemoved | cn_flagAstray;
    return (row->state | cn_proxyMoves) == (cn_proxyLives | cn_proxyMoves) && (row->flags & ~flags) == 0 &&
           IsBox(&row->box);
}

// Fills an empty broad phase with room; false when the image makes no sense. All that cnBroadPhase_Validate
// asks is asked here, or follows from how trees, lists and the set are made.
static bool LoadInto(cnBroadPhase* loaded, ImageHeader header, const char* source) {
    // proxies
    for (int i = 0; i < header.proxyCount; ++i) {
        ImageProxy row;
        source = Read(source, &row, sizeof row);
        if (!IsRow(&row)) {
            return false;
        }
        loaded->proxies.data[i] = (cnBroadProxy){row.box, -1, row.state};
        loaded->flags.data[i] = (uint8_t)row.flags;
        loaded->memberCounts[cnBroadProxy_GetKind(&loaded->proxies.data[i])] += row.state != 0;
    }
    loaded->proxies.count = loaded->flags.count = header.proxyCount;

    // free numbers, all of them
    if (cnBroadPhase_GetProxyCount(loaded) + header.freeCount != header.proxyCount) {
        return false;
    }
    for (int i = 0; i < header.freeCount; ++i) {
        int32_t number;
        source = Read(source, &number, sizeof number);
        if (number < 0 || number >= header.proxyCount || loaded->proxies.data[number].state != 0 ||
            loaded->proxies.data[number].leaf != -1 || number == loaded->lastFree) {
            return false;
        }
        if (loaded->lastFree < 0) {
            loaded->firstFree = number;
        } else {
            loaded->proxies.data[loaded->lastFree].leaf = number;
        }
        loaded->lastFree = number;
    }

    // pairs
    for (int i = 0; i < header.pairCount; ++i) {
        uint64_t key;
        source = Read(source, &key, sizeof key);
        if (!cnBroadPhase_IsPairKey(loaded, key) || !cnPairSet_AddNew(&loaded->set, key)) {
            return false;
        }
        loaded->pairs.data[loaded->pairs.count++] = key;
    }

    cnBroadPhase_PlaceAll(loaded);
    CN_ASSERT(cnBroadPhase_Validate(loaded));
    return true;
}

bool cnBroadPhase_LoadImage(cnBroadPhase* broadPhase, const void* image, size_t bytes, bool* wrong) {
    bool ignored;
    wrong = wrong != NULL ? wrong : &ignored;
    *wrong = true;
    ImageHeader header;
    if (bytes < sizeof header) {
        return false;
    }
    const char* source = Read(image, &header, sizeof header);
    if (header.magic != imageMagic || header.proxyCount < 0 || header.freeCount < 0 || header.pairCount < 0 ||
        header.freeCount > header.proxyCount || header.proxyCount > INT32_MAX / 64 ||
        header.pairCount > INT32_MAX / 64 || ImageBytes(header) != bytes) {
        return false;
    }
    cnBroadPhase* loaded = cnBroadPhase_Create();
    *wrong = loaded != NULL && ReserveFor(loaded, header, source);
    if (!*wrong || !LoadInto(loaded, header, source)) {
        if (loaded != NULL) {
            cnBroadPhase_Destroy(loaded);
        }
        return false;
    }

    // the contents change places
    cnBroadPhase old = *broadPhase;
    *broadPhase = *loaded;
    *loaded = old;
    cnBroadPhase_Destroy(loaded);
    *wrong = false;
    return true;
}
