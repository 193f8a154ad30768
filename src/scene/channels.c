// Channels: values of a running scene by name, as JSON text.
#include "scene/scene.h"

#include "base/report/error.h"
#include "base/report/format.h"
#include "dynamics/joint.h"

#include <string.h>

// ---- writing JSON -----------------------------------------------------------------------------------------

typedef struct Writer {
    cnScene* scene;
    bool isOutOfMemory;
} Writer;

static void WriterAddText(Writer* writer, const char* text) {
    int length = (int)strlen(text);
    int at = writer->scene->output.count;
    if (!cnArray_Resize(&writer->scene->output, at + length + 1)) {
        writer->isOutOfMemory = true;
        return;
    }
    memcpy(writer->scene->output.data + at, text, (size_t)length + 1);
    writer->scene->output.count = at + length;
}

// 17 digits read back as the same number. JSON has no infinity.
static void WriterAddNumber(Writer* writer, double number) {
    char digits[40];
    if (!cnIsFinite(number)) {
        WriterAddText(writer, "null");
        return;
    }
    cnFormat(digits, sizeof digits, "%.17g", number);
    WriterAddText(writer, digits);
}

static void WriterAddInteger(Writer* writer, int number) {
    char digits[16];
    cnFormat(digits, sizeof digits, "%d", number);
    WriterAddText(writer, digits);
}

static void WriterAddNumbers(Writer* writer, const double* numbers, int count) {
    WriterAddText(writer, "[");
    for (int i = 0; i < count; ++i) {
        WriterAddText(writer, i > 0 ? "," : "");
        WriterAddNumber(writer, numbers[i]);
    }
    WriterAddText(writer, "]");
}

static void WriterAddVector(Writer* writer, cnVec3 v) {
    WriterAddNumbers(writer, (const double[3]){v.x, v.y, v.z}, 3);
}

static void WriterAddRotation(Writer* writer, cnQuat q) {
    WriterAddNumbers(writer, (const double[4]){q.x, q.y, q.z, q.w}, 4);
}

// Row by row.
static void WriterAddMatrix(Writer* writer, cnMat33 m) {
    cnMat33 rows = cnTranspose(m);
    WriterAddText(writer, "[");
    WriterAddVector(writer, rows.x);
    WriterAddText(writer, ",");
    WriterAddVector(writer, rows.y);
    WriterAddText(writer, ",");
    WriterAddVector(writer, rows.z);
    WriterAddText(writer, "]");
}

static void WriterAddBoolean(Writer* writer, bool value) {
    WriterAddText(writer, value ? "true" : "false");
}

// A text without characters that need an escape.
static void WriterAddWord(Writer* writer, const char* word) {
    WriterAddText(writer, "\"");
    WriterAddText(writer, word);
    WriterAddText(writer, "\"");
}

// Any text.
static void WriterAddString(Writer* writer, const char* text) {
    WriterAddText(writer, "\"");
    for (; *text != '\0'; ++text) {
        unsigned char letter = (unsigned char)*text;
        char escaped[8] = {*text};
        if (letter < 0x20 || letter == '"' || letter == '\\') {
            cnFormat(escaped, sizeof escaped, "\\u%04x", (unsigned)letter);
        }
        WriterAddText(writer, escaped);
    }
    WriterAddText(writer, "\"");
}

static void WriterAddHash(Writer* writer, cnWorldId world) {
    char hash[17] = "";
    cnWorld_GetHash(world, hash);
    WriterAddWord(writer, hash);
}

// Names of the bodies of a merged body, in the order in which they came.
static void WriterAddParts(Writer* writer, cnWorldId world, cnMergedBodyId merged) {
    const cnScene* scene = writer->scene;
    int count = cnMergedBody_GetBodyCount(world, merged);
    WriterAddText(writer, "[");
    for (int i = 0; i < count; ++i) {
        cnBodyId body = cnMergedBody_GetBody(world, merged, i);
        int row = 0;
        while (row < scene->bodies.count && !CN_SAME_ID(scene->bodies.data[row], body)) {
            ++row;
        }
        const char* name = cnNames_NameOf(&scene->names, cn_name_body, row);
        WriterAddText(writer, i > 0 ? "," : "");
        if (name != NULL) {
            WriterAddString(writer, name);
        } else {
            WriterAddText(writer, "null"); // the file gives it none
        }
    }
    WriterAddText(writer, "]");
}

// ---- what there is ----------------------------------------------------------------------------------------

static const char* const cnContactStateWords[] = {
    [cn_contactNone] = "none",
    [cn_contactImpact] = "impact",
    [cn_contactContact] = "contact",
    [cn_contactSeparation] = "separation",
};

// X(field, value as the list of channels shows it, how it is written)
#define CN_BODY_FIELDS(X)                                                                                    \
    X(position, "[x, y, z] m", WriterAddVector(writer, cnBody_GetPosition(world, body)))                     \
    X(rotation, "[x, y, z, w]", WriterAddRotation(writer, cnBody_GetRotation(world, body)))                  \
    X(velocity, "[x, y, z] m/s", WriterAddVector(writer, cnBody_GetVelocity(world, body)))                   \
    X(angularVelocity, "[x, y, z] rad/s", WriterAddVector(writer, cnBody_GetAngularVelocity(world, body)))   \
    X(centreOfMass, "[x, y, z] m", WriterAddVector(writer, cnBody_GetCentreOfMass(world, body)))             \
    X(force, "[x, y, z] N", WriterAddVector(writer, cnBody_GetLastForce(world, body)))                       \
    X(torque, "[x, y, z] N m", WriterAddVector(writer, cnBody_GetLastTorque(world, body)))                   \
    X(asleep, "true or false", WriterAddBoolean(writer, cnBody_IsAsleep(world, body)))                       \
    X(mass, "kg", WriterAddNumber(writer, cnBody_GetMass(world, body)))                                      \
    X(inertia, "3x3 kg m2", WriterAddMatrix(writer, cnBody_GetInertia(world, body)))                         \
    X(merged, "true or false", WriterAddBoolean(writer, cnBody_IsMerged(world, body)))

#define CN_CONTACT_FIELDS(X)                                                                                 \
    X(normalForce, "[x, y, z] N", WriterAddVector(writer, forces.normal))                                    \
    X(tangentialForce, "[x, y, z] N", WriterAddVector(writer, forces.tangential))                            \
    X(force, "[x, y, z] N", WriterAddVector(writer, forces.total))                                           \
    X(points, "count", WriterAddInteger(writer, forces.points))                                              \
    X(depth, "m", WriterAddNumber(writer, forces.depth))                                                     \
    X(state, "impact, contact, separation or none", WriterAddWord(writer, cnContactStateWords[forces.state]))

// The index names one of two degrees of freedom, or dof K.
#define CN_CONSTRAINT_FIELDS(X)                                                                              \
    X(angle, "rad", WriterAddNumber(writer, cnConstraint_GetCoordinate(world, joint, index)))                \
    X(position, "m", WriterAddNumber(writer, cnConstraint_GetCoordinate(world, joint, index)))               \
    X(speed, "m/s or rad/s", WriterAddNumber(writer, cnConstraint_GetSpeed(world, joint, index)))            \
    X(force, "[x, y, z] N", WriterAddVector(writer, cnConstraint_GetForce(world, joint, 1)))                 \
    X(torque, "[x, y, z] N m", WriterAddVector(writer, cnConstraint_GetTorque(world, joint, 1, false)))      \
    X(dof, "N or N m", WriterAddNumber(writer, cnConstraint_GetDofForce(world, joint, index)))               \
    X(motorForce, "N or N m",                                                                                \
      WriterAddNumber(writer, cnConstraint_GetSecondaryForces(world, joint, index).motor))                   \
    X(lockForce, "N or N m",                                                                                 \
      WriterAddNumber(writer, cnConstraint_GetSecondaryForces(world, joint, index).lock))                    \
    X(rangeForce, "N or N m",                                                                                \
      WriterAddNumber(writer, cnConstraint_GetSecondaryForces(world, joint, index).range))                   \
    X(frictionForce, "N or N m",                                                                             \
      WriterAddNumber(writer, cnConstraint_GetSecondaryForces(world, joint, index).friction))                \
    X(violation, "m or rad", WriterAddNumber(writer, cnConstraint_GetViolation(world, joint)))

#define CN_OBSERVER_FIELDS(X)                                                                                \
    X(position, "[x, y, z] m", WriterAddVector(writer, observer->position))                                  \
    X(rotation, "[x, y, z, w]", WriterAddRotation(writer, observer->rotation))                               \
    X(velocity, "[x, y, z] m/s", WriterAddVector(writer, observer->velocity))                                \
    X(angularVelocity, "[x, y, z] rad/s", WriterAddVector(writer, observer->angularVelocity))                \
    X(acceleration, "[x, y, z] m/s2", WriterAddVector(writer, observer->acceleration))                       \
    X(angularAcceleration, "[x, y, z] rad/s2", WriterAddVector(writer, observer->angularAcceleration))

#define CN_MERGED_BODY_FIELDS(X)                                                                             \
    X(bodies, "names", WriterAddParts(writer, world, merged))                                                \
    X(active, "true or false", WriterAddBoolean(writer, cnMergedBody_IsActive(world, merged)))

#define CN_WORLD_FIELDS(X)                                                                                   \
    X(kineticEnergy, "J", WriterAddNumber(writer, cnWorld_GetKineticEnergy(world)))                          \
    X(potentialEnergy, "J", WriterAddNumber(writer, cnWorld_GetPotentialEnergy(world)))                      \
    X(momentum, "[x, y, z] kg m/s", WriterAddVector(writer, cnWorld_GetMomentum(world)))                     \
    X(angularMomentum, "[x, y, z] kg m2/s", WriterAddVector(writer, cnWorld_GetAngularMomentum(world)))      \
    X(bodies, "count", WriterAddInteger(writer, cnWorld_GetCounters(world).bodies))                          \
    X(contacts, "count", WriterAddInteger(writer, cnWorld_GetCounters(world).contacts))                      \
    X(solverBodies, "count", WriterAddInteger(writer, cnWorld_GetCounters(world).solverBodies))              \
    X(maxPenetration, "m", WriterAddNumber(writer, cnWorld_GetMaxPenetration(world)))                        \
    X(hash, "16 hex digits", WriterAddHash(writer, world))

// Milliseconds of a phase of the last step, as cnProfile has it.
#define CN_TIME_FIELD(X, phase) X(phase, "ms", WriterAddNumber(writer, cnWorld_GetProfile(world).phase))

#define CN_TIME_FIELDS(X)                                                                                    \
    CN_TIME_FIELD(X, step)                                                                                   \
    CN_TIME_FIELD(X, collide)                                                                                \
    CN_TIME_FIELD(X, broadPhase)                                                                             \
    CN_TIME_FIELD(X, narrowPhase)                                                                            \
    CN_TIME_FIELD(X, contactUpdate)                                                                          \
    CN_TIME_FIELD(X, solve)                                                                                  \
    CN_TIME_FIELD(X, islands)                                                                                \
    CN_TIME_FIELD(X, impacts)                                                                                \
    CN_TIME_FIELD(X, constraints)                                                                            \
    CN_TIME_FIELD(X, integrate)                                                                              \
    CN_TIME_FIELD(X, finish)

#define CN_FIELD_WORD(field, value, write) #field,

static const char* const cnBodyWords[] = {CN_BODY_FIELDS(CN_FIELD_WORD)};
static const char* const cnContactWords[] = {CN_CONTACT_FIELDS(CN_FIELD_WORD)};
static const char* const cnConstraintWords[] = {CN_CONSTRAINT_FIELDS(CN_FIELD_WORD)};
static const char* const cnObserverWords[] = {CN_OBSERVER_FIELDS(CN_FIELD_WORD)};
static const char* const cnWorldWords[] = {CN_WORLD_FIELDS(CN_FIELD_WORD)};
static const char* const cnMergedBodyWords[] = {CN_MERGED_BODY_FIELDS(CN_FIELD_WORD)};
static const char* const cnTimeWords[] = {CN_TIME_FIELDS(CN_FIELD_WORD)};

#define CN_WORD_COUNT(words) ((int)(sizeof(words) / sizeof((words)[0])))

static const struct {
    const char* word;
    const char* form; // what a whole channel looks like
    int partCount;
    const char* const* fields;
    int fieldCount;
} cnTopics[] = {
    [cn_topicBody] = {"body", "body/NAME/", 3, cnBodyWords, CN_WORD_COUNT(cnBodyWords)},
    [cn_topicContact] = {"contact", "contact/A/B/", 4, cnContactWords, CN_WORD_COUNT(cnContactWords)},
    [cn_topicConstraint] = {"constraint", "constraint/NAME/", 3, cnConstraintWords,
                            CN_WORD_COUNT(cnConstraintWords)},
    [cn_topicObserver] = {"observer", "observer/NAME/", 3, cnObserverWords, CN_WORD_COUNT(cnObserverWords)},
    [cn_topicWorld] = {"world", "world/", 2, cnWorldWords, CN_WORD_COUNT(cnWorldWords)},
    [cn_topicTime] = {"time", "time/", 2, cnTimeWords, CN_WORD_COUNT(cnTimeWords)},
    [cn_topicMergedBody] = {"mergedBody", "mergedBody/NAME/", 3, cnMergedBodyWords,
                            CN_WORD_COUNT(cnMergedBodyWords)},
};

enum {
    cnTopicCount = sizeof cnTopics / sizeof cnTopics[0]
};

// One entry of the list of channels.
static size_t ListField(char* text, size_t size, size_t length, const char* form, const char* field,
                        const char* value) {
    return length + (size_t)cnFormat(text + length, size - length, "%s{\"name\":\"%s%s\",\"value\":\"%s\"}",
                                     length > 1 ? "," : "", form, field, value);
}

void cnListChannels(char* text, size_t size) {
    size_t length = (size_t)cnFormat(text, size, "[");
#define CN_LIST_FIELD(field, value, write) length = ListField(text, size, length, form, #field, value);
    const char* form = cnTopics[cn_topicBody].form;
    CN_BODY_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicContact].form;
    CN_CONTACT_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicConstraint].form;
    CN_CONSTRAINT_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicObserver].form;
    CN_OBSERVER_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicWorld].form;
    CN_WORLD_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicTime].form;
    CN_TIME_FIELDS(CN_LIST_FIELD)
    form = cnTopics[cn_topicMergedBody].form;
    CN_MERGED_BODY_FIELDS(CN_LIST_FIELD)
#undef CN_LIST_FIELD
    cnFormat(text + length, size - length, "]");
}

// ---- opening ----------------------------------------------------------------------------------------------

// A part of a channel's name between slashes.
typedef struct Part {
    const char* text;
    int length;
} Part;

enum {
    maxParts = 5
};

// Answers the number of parts, more than maxParts counted as maxParts.
static int Split(const char* name, Part parts[maxParts]) {
    int count = 0;
    while (count < maxParts) {
        const char* end = strchr(name, '/');
        parts[count++] = (Part){name, (int)(end != NULL ? (size_t)(end - name) : strlen(name))};
        if (end == NULL) {
            break;
        }
        name = end + 1;
    }
    return count;
}

static bool PartIs(Part part, const char* word) {
    return strlen(word) == (size_t)part.length && strncmp(part.text, word, (size_t)part.length) == 0;
}

static int FindWord(const char* const* words, int count, Part part) {
    for (int i = 0; i < count; ++i) {
        if (PartIs(part, words[i])) {
            return i;
        }
    }
    return -1;
}

static void JoinWords(const char* const* words, int count, char* text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < count && length < size; ++i) {
        length += (size_t)cnFormat(text + length, size - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
}

// Bodies first, else geometries.
static bool FindContactSide(const cnScene* scene, Part part, int* body, int* geometry) {
    *body = cnNames_FindPart(&scene->names, cn_name_body, part.text, (size_t)part.length);
    *geometry =
        *body >= 0 ? -1 : cnNames_FindPart(&scene->names, cn_name_geometry, part.text, (size_t)part.length);
    return *body >= 0 || *geometry >= 0;
}

enum {
#define X(name, value, write) cn_constraintField_##name,
    CN_CONSTRAINT_FIELDS(X)
#undef X
};

// The degree of freedom that a channel of a constraint means: the one that is named, the first that is an
// angle or a position, or the first. False where the constraint has none.
static bool PlaceIndex(const cnScene* scene, cnChannel* channel, cnErrorCode* code, char* message,
                       size_t size) {
    cnConstraintId constraint = scene->constraints.data[channel->row];
    if (CN_IS_NULL(constraint)) {
        return true; // the file is only checked
    }
    cnConstraintType type = cnConstraint_GetType(scene->world, constraint);
    const cnConstraintKind* kind = &cnConstraintKinds[type];
    bool isWhole = channel->field == cn_constraintField_force ||
                   channel->field == cn_constraintField_torque ||
                   channel->field == cn_constraintField_violation;
    int count = channel->field == cn_constraintField_dof ? 6
                : isWhole                                ? 0
                : (kind->parts & cn_hasCone) != 0 && channel->field == cn_constraintField_rangeForce
                    ? 2
                    : kind->freeCount;
    if (channel->index < 0 && channel->field != cn_constraintField_dof) {
        bool wantsAngle = channel->field == cn_constraintField_angle;
        bool isEither = wantsAngle || channel->field == cn_constraintField_position;
        bool second = isEither && kind->freeCount == 2 && (kind->angular & 1) != (wantsAngle ? 1u : 0u) &&
                      (kind->angular >> 1 & 1) == (wantsAngle ? 1u : 0u);
        channel->index = second ? 1 : 0;
        count = isWhole ? 1 : count;
    }
    if (channel->index < 0 || channel->index >= count) {
        *code = CN_ERROR_UNKNOWN_NAME;
        cnFormat(message, size, "is of a %s, which has %d of \"%s\": must end with its number below that",
                 kind->word, count, cnConstraintWords[channel->field]);
        return false;
    }
    return true;
}

// Fills the channel from its name; false with the reason.
static bool ParseChannel(const cnScene* scene, const char* name, cnChannel* channel, cnErrorCode* code,
                         char* message, size_t size) {
    Part parts[maxParts] = {{name, 0}};
    int partCount = Split(name, parts);
    *code = CN_ERROR_UNKNOWN_NAME;

    // the topic
    int topic = 0;
    while (topic < cnTopicCount && !PartIs(parts[0], cnTopics[topic].word)) {
        ++topic;
    }
    if (topic == cnTopicCount) {
        cnFormat(message, size,
                 "is \"%.60s\": must be a channel body/…, contact/…, constraint/…, observer/…, "
                 "mergedBody/…, world/… or time/…",
                 name);
        return false;
    }

    // an index may end the name of a constraint's channel
    int index = -1;
    Part last = parts[partCount - 1];
    if (topic == cn_topicConstraint && partCount == 4 && last.length == 1 && last.text[0] >= '0' &&
        last.text[0] <= '5') {
        index = last.text[0] - '0';
        partCount = 3;
    }

    // the field, the last part
    char words[120];
    JoinWords(cnTopics[topic].fields, cnTopics[topic].fieldCount, words, sizeof words);
    int field = FindWord(cnTopics[topic].fields, cnTopics[topic].fieldCount, parts[partCount - 1]);
    if (partCount != cnTopics[topic].partCount || field < 0) {
        cnFormat(message, size, "is \"%.50s\": must be %s and one of %s", name, cnTopics[topic].form, words);
        return false;
    }
    *channel = (cnChannel){.topic = (cnChannelTopic)topic, .field = field, .row = -1, .index = index};

    // the names
    cnNameKind kind = topic == cn_topicObserver     ? cn_name_observer
                      : topic == cn_topicConstraint ? cn_name_constraint
                      : topic == cn_topicMergedBody ? cn_name_mergedBody
                                                    : cn_name_body;
    int missing = -1;
    if (topic == cn_topicBody || topic == cn_topicObserver || topic == cn_topicConstraint ||
        topic == cn_topicMergedBody) {
        channel->row = cnNames_FindPart(&scene->names, kind, parts[1].text, (size_t)parts[1].length);
        missing = channel->row < 0 ? 1 : -1;
    } else if (topic == cn_topicContact) {
        channel->body2 = channel->geometry2 = -1;
        if (!PartIs(parts[2], "*") &&
            !FindContactSide(scene, parts[2], &channel->body2, &channel->geometry2)) {
            missing = 2;
        }
        if (!FindContactSide(scene, parts[1], &channel->body1, &channel->geometry1)) {
            missing = 1;
        }
    }
    if (missing >= 0) {
        cnNames_Describe(&scene->names, kind, words, 80);
        int length = parts[missing].length < 40 ? parts[missing].length : 40;
        cnFormat(message, size, "names \"%.*s\", which no %s of this scene is called: there is %s", length,
                 parts[missing].text, topic == cn_topicContact ? "body or geometry" : cnNameNoun(kind),
                 words);
        return false;
    }
    *code = CN_ERROR_NONE;
    return topic != cn_topicConstraint || PlaceIndex(scene, channel, code, message, size);
}

int cnScene_FindChannel(cnScene* scene, const char* name, cnErrorCode* code, char* message, size_t size) {
    *code = CN_ERROR_NONE;
    for (int i = 0; i < scene->channels.count; ++i) {
        if (strcmp(scene->channels.data[i].name, name) == 0) {
            return i;
        }
    }
    cnChannel channel;
    if (!ParseChannel(scene, name, &channel, code, message, size)) {
        return -1;
    }
    size_t bytes = strlen(name) + 1;
    channel.name = cnAllocate(bytes);
    if (channel.name == NULL || !cnArray_Push(&scene->channels, channel)) {
        cnFree(channel.name, bytes);
        *code = CN_ERROR_OUT_OF_MEMORY;
        cnFormat(message, size, "cannot be opened: there is no memory left");
        return -1;
    }
    memcpy(channel.name, name, bytes);
    return scene->channels.count - 1;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Writes the field of a list that has the number `field`.
#define FIELD_NUMBER(name, value, write) field_##name,
#define FIELD_CASE(name, value, write)                                                                       \
    case field_##name:                                                                                       \
        write;                                                                                               \
        break;
#define WRITE_FIELD(FIELDS)                                                                                  \
    enum {                                                                                                   \
        FIELDS(FIELD_NUMBER)                                                                                 \
    };                                                                                                       \
    switch (field) {                                                                                         \
        FIELDS(FIELD_CASE)                                                                                   \
    default:                                                                                                 \
        break;                                                                                               \
    }

static void WriteBody(Writer* writer, int field, cnWorldId world, cnBodyId body) {
    WRITE_FIELD(CN_BODY_FIELDS)
}

static void WriteContact(Writer* writer, int field, cnContactForces forces) {
    WRITE_FIELD(CN_CONTACT_FIELDS)
}

static void WriteConstraint(Writer* writer, int field, cnWorldId world, cnConstraintId joint, int index) {
    switch (field) {
#define X(name, value, write)                                                                                \
    case cn_constraintField_##name:                                                                          \
        write;                                                                                               \
        break;
        // angle and position are the coordinate, whichever it is
        CN_CONSTRAINT_FIELDS(X) // NOLINT(bugprone-branch-clone)
#undef X
    default:
        break;
    }
}

static void WriteObserver(Writer* writer, int field, const cnObserver* observer) {
    WRITE_FIELD(CN_OBSERVER_FIELDS)
}

static void WriteMergedBody(Writer* writer, int field, cnWorldId world, cnMergedBodyId merged) {
    WRITE_FIELD(CN_MERGED_BODY_FIELDS)
}

static void WriteWorld(Writer* writer, int field, cnWorldId world) {
    WRITE_FIELD(CN_WORLD_FIELDS)
}

static void WriteTime(Writer* writer, int field, cnWorldId world) {
    WRITE_FIELD(CN_TIME_FIELDS)
}

// A body means all its geometries; forces act on the first side.
static cnContactForces ReadContact(const cnScene* scene, const cnChannel* channel) {
    static const cnBodyId noBody;
    static const cnGeometryId noGeometry;
    cnBodyId body1 = channel->body1 >= 0 ? scene->bodies.data[channel->body1] : noBody;
    cnBodyId body2 = channel->body2 >= 0 ? scene->bodies.data[channel->body2] : noBody;
    cnGeometryId geometry1 =
        channel->geometry1 >= 0 ? scene->geometries.data[channel->geometry1] : noGeometry;
    cnGeometryId geometry2 =
        channel->geometry2 >= 0 ? scene->geometries.data[channel->geometry2] : noGeometry;
    if (channel->body1 >= 0 && channel->geometry2 >= 0) {
        return cnBody_GetContactForcesWithGeometry(scene->world, body1, geometry2);
    }
    if (channel->body1 >= 0) {
        return cnBody_GetContactForces(scene->world, body1, body2);
    }
    if (channel->body2 < 0) {
        return cnGeometry_GetContactForces(scene->world, geometry1, geometry2);
    }

    // the other way round; 0 − x, so that no zero becomes negative
    cnContactForces forces = cnBody_GetContactForcesWithGeometry(scene->world, body2, geometry1);
    forces.normal = cnSub(cnVec3_zero, forces.normal);
    forces.tangential = cnSub(cnVec3_zero, forces.tangential);
    forces.total = cnSub(cnVec3_zero, forces.total);
    return forces;
}

// Objects of a scene can be destroyed through its world.
static bool ChannelIsAlive(const cnScene* scene, const cnChannel* channel) {
    cnWorldId world = scene->world;
    switch (channel->topic) {
    case cn_topicBody:
        return cnBody_IsValid(world, scene->bodies.data[channel->row]);
    case cn_topicConstraint:
        return cnConstraint_IsValid(world, scene->constraints.data[channel->row]);
    case cn_topicMergedBody:
        return cnMergedBody_IsValid(world, scene->mergedBodies.data[channel->row]);
    case cn_topicObserver:
        return cnBody_IsValid(world, scene->bodies.data[scene->observers.data[channel->row].body]);
    case cn_topicContact:
        return (channel->body1 < 0 || cnBody_IsValid(world, scene->bodies.data[channel->body1])) &&
               (channel->body2 < 0 || cnBody_IsValid(world, scene->bodies.data[channel->body2])) &&
               (channel->geometry1 < 0 ||
                cnGeometry_IsValid(world, scene->geometries.data[channel->geometry1])) &&
               (channel->geometry2 < 0 ||
                cnGeometry_IsValid(world, scene->geometries.data[channel->geometry2]));
    default:
        return cnWorld_IsValid(world);
    }
}

const char* cnScene_WriteChannel(cnScene* scene, const cnChannel* channel, const char* call) {
    if (!ChannelIsAlive(scene, channel)) {
        cnFail(CN_ERROR_STALE_HANDLE, call, "channel", "channel %s: what it reads was destroyed",
               channel->name);
        return NULL;
    }
    Writer writer = {scene, false};
    scene->output.count = 0;
    switch (channel->topic) {
    case cn_topicBody:
        WriteBody(&writer, channel->field, scene->world, scene->bodies.data[channel->row]);
        break;
    case cn_topicContact:
        WriteContact(&writer, channel->field, ReadContact(scene, channel));
        break;
    case cn_topicConstraint:
        WriteConstraint(&writer, channel->field, scene->world, scene->constraints.data[channel->row],
                        channel->index);
        break;
    case cn_topicObserver:
        WriteObserver(&writer, channel->field, &scene->observers.data[channel->row]);
        break;
    case cn_topicMergedBody:
        WriteMergedBody(&writer, channel->field, scene->world, scene->mergedBodies.data[channel->row]);
        break;
    case cn_topicWorld:
        WriteWorld(&writer, channel->field, scene->world);
        break;
    case cn_topicTime:
        WriteTime(&writer, channel->field, scene->world);
        break;
    }
    if (writer.isOutOfMemory) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "channel", "channel %s: there is no memory left", channel->name);
        return NULL;
    }
    return scene->output.data;
}
