// Runs a scene natively and prints the result that `cairn run` prints, so that builds can be compared.
//
// cairn_native SCENE.json [--steps n | --time s] [--every s] [--record ch,ch…] [--threads n] [--time-step s]
//                         [--hash-every k]
//
// --hash-every k adds "hashes": [[step, "16 hex digits"], …] of every k-th step. Exit status as of `cairn`:
// 0, 1 when a step failed, 2 for a bad file or bad arguments.
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    statusStepFailed = 1,
    statusBadInput = 2,
    maxChannels = 4096
};

// A text that grows. Running out of memory ends the program.
typedef struct Text {
    char* data;
    size_t length, capacity;
} Text;

typedef struct Options {
    const char* scene;
    const char* record; // null: what the file says
    double time, every, timeStep;
    double steps, hashEvery; // whole numbers; negative: not given
    int threads;
} Options;

typedef struct Run {
    cnSceneId scene;
    int channels[maxChannels];
    Text names[maxChannels];
    Text samples[maxChannels];
    int channelCount;
    Text times, hashes;
} Run;

static void addBytes(Text* text, const char* part, size_t length) {
    if (text->length + length + 1 > text->capacity) {
        text->capacity = 2 * (text->length + length + 1);
        text->data = realloc(text->data, text->capacity);
        if (text->data == NULL) {
            fprintf(stderr, "cairn_native: out of memory\n");
            exit(statusStepFailed);
        }
    }
    memcpy(text->data + text->length, part, length);
    text->length += length;
    text->data[text->length] = '\0';
}

static void add(Text* text, const char* part) {
    addBytes(text, part, strlen(part));
}

static void addItem(Text* list, const char* item) {
    add(list, list->length > 0 ? "," : "");
    add(list, item);
}

// As a JSON text.
static void addQuoted(Text* text, const char* raw) {
    add(text, "\"");
    for (; *raw != '\0'; ++raw) {
        char escaped[8];
        if ((unsigned char)*raw < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", *raw);
        } else {
            snprintf(escaped, sizeof escaped, *raw == '"' || *raw == '\\' ? "\\%c" : "%c", *raw);
        }
        add(text, escaped);
    }
    add(text, "\"");
}

static int failInput(const char* what, const char* which) {
    fprintf(stderr, "cairn_native: %s %s\n", what, which);
    return statusBadInput;
}

static int failLast(int status) {
    const cnErrorInfo* error = cnGetLastError();
    fprintf(stderr, "cairn_native: %s: %s\n", cnErrorName(error->code), error->message);
    return status;
}

// ---- arguments -------------------------------------------------------------------------------------------

static bool readNumber(const char* text, double lowest, bool isWhole, double* number) {
    char* end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= lowest && *number <= 1e15 &&
           (!isWhole || floor(*number) == *number);
}

static bool readArguments(int count, char** words, Options* options) {
    *options = (Options){.time = -1.0, .every = 0.0, .steps = -1.0, .hashEvery = -1.0, .threads = 1};
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        if (word[0] != '-') {
            if (options->scene != NULL) {
                return false;
            }
            options->scene = word;
            continue;
        }
        const char* value = i + 1 < count ? words[++i] : "";
        double threads = 1.0;
        bool isRight = false;
        if (strcmp(word, "--steps") == 0) {
            isRight = readNumber(value, 0.0, true, &options->steps);
        } else if (strcmp(word, "--time") == 0) {
            isRight = readNumber(value, 0.0, false, &options->time);
        } else if (strcmp(word, "--every") == 0) {
            isRight = readNumber(value, 0.0, false, &options->every);
        } else if (strcmp(word, "--time-step") == 0) {
            isRight = readNumber(value, 1e-6, false, &options->timeStep);
        } else if (strcmp(word, "--threads") == 0) {
            isRight = readNumber(value, 1.0, true, &threads) && threads <= 32.0;
            options->threads = isRight ? (int)threads : 1;
        } else if (strcmp(word, "--hash-every") == 0) {
            isRight = readNumber(value, 1.0, true, &options->hashEvery);
        } else if (strcmp(word, "--record") == 0) {
            isRight = value[0] != '\0';
            options->record = value;
        }
        if (!isRight) {
            return false;
        }
    }
    return options->scene != NULL && (options->steps < 0.0 || options->time < 0.0);
}

static bool readFile(const char* path, Text* text) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char part[65536];
    size_t length;
    add(text, "");
    while ((length = fread(part, 1, sizeof part, file)) > 0) {
        addBytes(text, part, length);
    }
    bool isRead = ferror(file) == 0;
    fclose(file);
    return isRead;
}

// Files that the scene names, relative to its own; kept until the scene is loaded.
typedef struct Files {
    const char* scene;
    Text read[64];
    int count;
} Files;

static const void* findFile(const char* name, size_t* length, void* context) {
    Files* files = context;
    const char* slash = strrchr(files->scene, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash - files->scene) + 1 : 0, files->scene,
             name);
    if (files->count == (int)(sizeof files->read / sizeof files->read[0])) {
        return NULL;
    }
    Text* text = &files->read[files->count++];
    if (!readFile(path, text)) {
        return NULL;
    }
    *length = text->length;
    return text->data;
}

// ---- running ---------------------------------------------------------------------------------------------

static bool openChannel(Run* run, const char* name) {
    int channel = cnScene_OpenChannel(run->scene, name);
    if (channel < 0 || run->channelCount == maxChannels) {
        return false;
    }
    for (int i = 0; i < run->channelCount; ++i) {
        if (run->channels[i] == channel) {
            return true;
        }
    }
    run->channels[run->channelCount] = channel;
    addQuoted(&run->names[run->channelCount++], name);
    return true;
}

static bool openChannels(Run* run, const char* record) {
    if (record == NULL) {
        for (int i = 0; i < cnScene_GetRecordCount(run->scene); ++i) {
            if (!openChannel(run, cnScene_GetRecord(run->scene, i))) {
                return false;
            }
        }
        return true;
    }
    while (*record != '\0') {
        const char* end = strchr(record, ',');
        size_t length = end != NULL ? (size_t)(end - record) : strlen(record);
        char name[512];
        snprintf(name, sizeof name, "%.*s", (int)length, record);
        if (!openChannel(run, name)) {
            return false;
        }
        record += length + (end != NULL ? 1 : 0);
    }
    return true;
}

static bool takeSample(Run* run, double time) {
    char number[40];
    snprintf(number, sizeof number, "%.17g", time);
    addItem(&run->times, number);
    for (int i = 0; i < run->channelCount; ++i) {
        const char* value = cnScene_ReadChannel(run->scene, run->channels[i]);
        if (value == NULL) {
            return false;
        }
        addItem(&run->samples[i], value);
    }
    return true;
}

static void takeHash(Run* run, double step) {
    char hash[17] = "";
    char item[64];
    cnWorld_GetHash(cnScene_GetWorld(run->scene), hash);
    snprintf(item, sizeof item, "[%.17g,\"%s\"]", step, hash);
    addItem(&run->hashes, item);
}

static void printResult(const Run* run, double timeStep, double steps, int threads, bool hasHashes) {
    Text name = {0};
    addQuoted(&name, cnScene_GetName(run->scene));
    printf("{\"scene\":%s,\"timeStep\":%.17g,\"steps\":%.17g,\"threads\":%d,\"time\":[%s],\"channels\":{",
           name.data, timeStep, steps, threads, run->times.data);
    for (int i = 0; i < run->channelCount; ++i) {
        printf("%s%s:[%s]", i > 0 ? "," : "", run->names[i].data, run->samples[i].data);
    }
    printf("}");
    if (hasHashes) {
        printf(",\"hashes\":[%s]", run->hashes.length > 0 ? run->hashes.data : "");
    }
    printf("}\n");
    free(name.data);
}

int main(int count, char** words) {
    static Run run;
    Options options;
    Text text = {0};
    if (!readArguments(count, words, &options)) {
        return failInput(
            "usage: cairn_native SCENE.json [--steps n | --time s] [--every s] [--record ch,ch…]",
            "[--threads n] [--time-step s] [--hash-every k]");
    }
    if (!readFile(options.scene, &text)) {
        free(text.data);
        return failInput("cannot read the file", options.scene);
    }
    static Files files;
    files.scene = options.scene;
    cnFileSource source = {findFile, &files};
    run.scene = cnLoadSceneWithFiles(text.data, text.length, options.threads, &source);
    free(text.data);
    while (files.count > 0) {
        free(files.read[--files.count].data);
    }
    if (CN_IS_NULL(run.scene) || !openChannels(&run, options.record)) {
        return failLast(statusBadInput);
    }

    // how far
    cnWorldId world = cnScene_GetWorld(run.scene);
    if (options.timeStep > 0.0 && cnWorld_SetTimeStep(world, options.timeStep) != CN_ERROR_NONE) {
        return failLast(statusBadInput);
    }
    double timeStep = cnWorld_GetTimeStep(world);
    double steps = options.steps >= 0.0 ? options.steps
                                        : ceil((options.time >= 0.0 ? options.time : 10.0) / timeStep - 1e-6);

    // samples: the first step at or after each multiple of --every, and the last
    double multiple = 0.0;
    for (int64_t k = 0; k <= (int64_t)steps; ++k) {
        double step = (double)k;
        if (k > 0 && cnScene_Step(run.scene) != CN_ERROR_NONE) {
            return failLast(statusStepFailed);
        }
        bool isDue = options.every <= 0.0;
        while (options.every > 0.0 && ceil(multiple * options.every / timeStep - 1e-6) <= step) {
            multiple += 1.0;
            isDue = true;
        }
        if ((isDue || step == steps) && !takeSample(&run, step * timeStep)) {
            return failLast(statusStepFailed);
        }
        if (options.hashEvery > 0.0 && fmod(step, options.hashEvery) == 0.0) {
            takeHash(&run, step);
        }
    }
    printResult(&run, timeStep, steps, options.threads, options.hashEvery > 0.0);

    cnDestroyScene(run.scene);
    for (int i = 0; i < run.channelCount; ++i) {
        free(run.names[i].data);
        free(run.samples[i].data);
    }
    free(run.times.data);
    free(run.hashes.data);
    return 0;
}
