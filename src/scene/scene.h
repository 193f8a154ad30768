// A scene: a world made from a file, with what the file says about the run: names, actions, observers,
// channels.
//
// json/syntax.c and json/json.c read JSON with exact errors, load.c and its sections turn it into a
// world through the public functions alone, actions.c and observers.c run with the steps,
// channels.c writes values out.
#pragma once

#include "api/objects/secondaries.h"
#include "base/containers/array.h"
#include "cairn/cairn.h"
#include "scene/json/names.h"

// What an action does; several bits may be set.
enum {
    cn_actMotion = 1 << 0,
    cn_actEnabled = 1 << 1,
    cn_actCollisions = 1 << 2,
    cn_actPosition = 1 << 3,
    cn_actRotation = 1 << 4,
    cn_actVelocity = 1 << 5,
    cn_actAngularVelocity = 1 << 6,
    cn_actMoveTo = 1 << 7,
    cn_actForce = 1 << 8,
    cn_actTorque = 1 << 9,
    cn_actPoint = 1 << 10,
    cn_actFor = 1 << 11,
    cn_actSensor = 1 << 12,
    cn_actSurfaceVelocity = 1 << 13,
    cn_actHeights = 1 << 14,
    cn_actActive = 1 << 15,
    cn_actRemove = 1 << 16,
    cn_actSecondary = 1 << 17, // << cnSecondaryKey
};

enum {
    cn_patchTarget = 1 << 0, // speed, position, lead
    cn_patchForce = 1 << 1,
    cn_patchLimits = 1 << 2,
    cn_patchCompliance = 1 << 3,
    cn_patchDamping = 1 << 4,
    cn_patchCoefficient = 1 << 5,
    cn_patchRadius = 1 << 6,
    cn_patchLockAtZeroSpeed = 1 << 7,
};

// Settings of a secondary constraint that a file gives; the others stay as they are. It is enabled unless the
// file says otherwise.
typedef struct cnSecondaryPatch {
    bool given;
    uint32_t has; // cn_patch… bits
    bool disabled;
    bool lockAtZeroSpeed;
    double target;
    double force[2];  // N or N m, min and max
    double limits[2]; // m or rad
    double compliance, damping;
    double coefficient, radius;
} cnSecondaryPatch;

typedef struct cnSceneAction {
    double at;     // s
    uint32_t what; // cn_act… bits
    bool isStarted;
    bool isDone;
    bool isPointFixed; // `point` is in the body's frame by now
    int body;          // row in the scene, -1 for an action on a geometry
    int geometry;
    int constraint;
    int mergedBody;
    int firstPatch; // index into the scene's patches: for each key given, two
    cnMotion motion;
    bool enabled; // of merged bodies: active
    bool collisions;
    cnSensorMode sensor;
    cnVec3 position; // m
    cnQuat rotation;
    cnVec3 velocity;        // m/s; of a body, or of a geometry's surface
    cnVec3 angularVelocity; // rad/s
    cnVec3 targetPosition;  // m, of moveTo
    cnQuat targetRotation;
    bool hasTargetPosition;
    bool hasTargetRotation;
    double duration;  // s, of moveTo
    cnVec3 force;     // N
    cnVec3 torque;    // N m
    cnVec3 point;     // m, world until it is fixed to the body
    int region[4];    // i0, i1, j0, j1 of a height field
    int firstHeight;  // index into the scene's heights
    double forceTime; // s that the force acts; without cn_actFor one step
} cnSceneAction;

// A frame fixed in a body.
typedef struct cnObserver {
    int body;
    cnVec3 localPosition; // m, model frame
    cnQuat localRotation;
    cnVec3 position; // world, as all that follows
    cnQuat rotation;
    cnVec3 velocity;
    cnVec3 angularVelocity;
    cnVec3 acceleration; // difference of the last two velocities over the time step
    cnVec3 angularAcceleration;
} cnObserver;

typedef enum cnChannelTopic {
    cn_topicBody = 0,
    cn_topicContact,
    cn_topicConstraint,
    cn_topicObserver,
    cn_topicWorld,
    cn_topicTime,
    cn_topicMergedBody,
} cnChannelTopic;

typedef struct cnChannel {
    char* name; // allocated by itself, so that it stays where it is
    cnChannelTopic topic;
    int field;            // of the topic
    int row;              // body, observer, constraint or merged body
    int index;            // of a degree of freedom; −1 where none is named
    int body1, geometry1; // contact: one of the two, the other is -1
    int body2, geometry2; // both -1 for "*"
} cnChannel;

typedef struct cnScene {
    cnWorldId world;
    CN_ARRAY(char) name;
    cnNames names;
    CN_ARRAY(cnBodyId) bodies;
    CN_ARRAY(cnGeometryId) geometries; // free ones first, then the bodies'
    CN_ARRAY(cnShapeId) heightFields;  // by row of geometry its first height field, null without one
    CN_ARRAY(double) heights;          // of all actions on height fields
    CN_ARRAY(cnConstraintId) constraints;
    CN_ARRAY(cnMergedBodyId) mergedBodies;
    CN_ARRAY(cnSecondaryPatch) patches; // of all actions on constraints
    CN_ARRAY(cnObserver) observers;
    CN_ARRAY(cnSceneAction) actions;
    CN_ARRAY(cnChannel) channels; // opened so far
    CN_ARRAY(int) record;         // rows of channels
    CN_ARRAY(char) output;        // text of the channel read last
} cnScene;

// ---- scene.c ----------------------------------------------------------------------------------------------

// What is in the files that a scene names, from whoever reads them: files.c does it from their bytes, in
// WebAssembly a module of its own does it before. Arrays must stay until the next call. On an error the last
// error says what is wrong.
typedef struct cnAssetSource {
    cnErrorCode (*readMesh)(const char* name, cnMeshData* mesh, void* context);
    cnErrorCode (*readHeights)(const char* name, cnHeightData* grid, void* context); // 0 (black) to 1 (white)
    void* context;
} cnAssetSource;

// As cnLoadSceneWithFiles; null: there are no files.
cnSceneId cnLoadSceneWithAssets(const char* text, size_t length, int threads, const cnAssetSource* assets);

// ---- load.c -----------------------------------------------------------------------------------------

// Fills an empty scene. On an error the last error is set, and the caller frees the scene.
cnErrorCode cnScene_Load(cnScene* scene, const char* text, size_t length, int threads,
                         const cnAssetSource* assets, const char* call);

// ---- actions.c --------------------------------------------------------------------------------------

// Applies what is due at the begin of the coming step, in the order of the file.
cnErrorCode cnScene_ApplyActions(cnScene* scene, const char* call);

// ---- constraints.c ----------------------------------------------------------------------------------

// Sets what the patch has, of a free degree of freedom.
cnErrorCode cnApplySecondary(cnWorldId world, cnConstraintId constraint, cnSecondaryKey key, int index,
                             const cnSecondaryPatch* patch);

// ---- observers.c ------------------------------------------------------------------------------------

// Follows the body; the accelerations are zero until the first step.
void cnObserver_Start(cnObserver* observer, cnWorldId world, cnBodyId body);
void cnObserver_Follow(cnObserver* observer, cnWorldId world, cnBodyId body);

// ---- channels.c -------------------------------------------------------------------------------------

// Row of a channel by its name, opened if it was not; -1 with the reason in `message`.
// Errors: CN_ERROR_UNKNOWN_NAME, CN_ERROR_NOT_SUPPORTED_YET, CN_ERROR_OUT_OF_MEMORY.
int cnScene_FindChannel(cnScene* scene, const char* name, cnErrorCode* code, char* message, size_t size);

// JSON text of the present value, null with the last error set.
const char* cnScene_WriteChannel(cnScene* scene, const cnChannel* channel, const char* call);

// ---- list.c -----------------------------------------------------------------------------------------

// Room for the JSON lists below.
#define CN_LIST_SIZE 8192

// What shapes.c and channels.c can do, as JSON lists for cnListAvailable.
void cnListShapes(char* text, size_t size);
void cnListChannels(char* text, size_t size);
