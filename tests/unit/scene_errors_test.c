// Scene files: what is rejected and why, and what is accepted.
#include "scenes.h"

// Files of a scene: a tetrahedron, a broken one, and that under a name of another format.
static const void* find_mesh(const char* name, size_t* length, void* context) {
    static const char tetrahedron[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    static const char broken[] = "v 0 0 0\nf 1 2 3\n";
    ++*(int*)context;
    const char* text = strcmp(name, "a.obj") == 0 ? tetrahedron : strcmp(name, "b.obj") == 0 ? broken : NULL;
    *length = text != NULL ? strlen(text) : 0;
    return text;
}

static void meshes_come_from_files(void** state) {
    (void)state;
    static const char* const names[] = {"a.obj", "b.obj", "c.stl"};
    static const char* const said[] = {"", "/meshes/0/file is \"b.obj\": line 2: a face has the vertex 2",
                                       "/meshes/0/file is \"c.stl\": there is no such file"};
    for (int i = 0; i < 3; ++i) {
        int calls = 0;
        cnFileSource files = {find_mesh, &calls};
        char text[512];
        int length = snprintf(
            text, sizeof text,
            "{\"format\":\"cairn-scene\",\"version\":1,\"meshes\":[{\"name\":\"m\",\"file\":\"%s\"}],"
            "\"bodies\":[{\"name\":\"b\",\"geometries\":[{\"shape\":{\"type\":\"convex\",\"mesh\":\"m\"}}]}]"
            "}",
            names[i]);
        size_t before = cnGetBytesInUse();
        cnSceneId scene = cnLoadSceneWithFiles(text, (size_t)length, 1, &files);
        assert_int_equal(calls, 1);
        if (i == 0) {
            assert_false(CN_IS_NULL(scene));
            cnBodyId body = cnScene_FindBody(scene, "b");
            assert_true(fabs(cnBody_GetMass(cnScene_GetWorld(scene), body) / 1000.0 - 1.0 / 6.0) < 1e-12);
            cnDestroyScene(scene);
        } else {
            assert_true(CN_IS_NULL(scene));
            assert_int_equal(cnGetLastError()->code, CN_ERROR_SCENE);
            assert_message_has(said[i]);
        }
        assert_int_equal(cnGetBytesInUse(), before);
    }
}

static void syntax_errors_name_line_and_column(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* said;
    } cases[] = {
        {"", "line 1, column 1: the file ends"},
        {"{\"format\": \"cairn-scene\",\n  \"version\" 1}", "line 2, column 13: expected ':'"},
        {"{\"a\": 1,}", "line 1, column 9: expected a key"},
        {"{\"a\": [1 2]}", "line 1, column 10: expected ',' or ']'"},
        {"{\"a\": 1} x", "line 1, column 10: expected nothing more"},
        {"{\"a\": 01}", "leading zeros"},
        {"{\"a\": 1.}", "after its point"},
        {"{\"a\": .5}", "expected a value"},
        {"{\"a\": NaN}", "expected a value"},
        {"{\"a\": 1e}", "exponent"},
        {"{\"a\": \"\xc3\xa9\n\"}", "line 1, column 9: a text must not hold a control character"},
        {"{\"a\": \"\\u0000\"}", "\\u0000"},
        {"{\"a\": \"\\ud800\"}", "half of a surrogate pair"},
        {"{\"a\": \"\\x\"}", "a backslash must be"},
        {"{\"a\": \"\xff\"}", "not UTF-8"},
        {"{\"a\": \"\xc0\xaf\"}", "not UTF-8"},
        {"{\"a\": \"x", "ends inside a text"},
        {"{\"a\": tru}", "expected a value"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested too deep"},
        {"\x01{}", "expected a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        size_t before = cnGetBytesInUse();
        assert_true(CN_IS_NULL(cnLoadScene(cases[i].text, strlen(cases[i].text), 1)));
        assert_last_error(CN_ERROR_SCENE, "/", cases[i].said);
        assert_int_equal(cnGetBytesInUse(), before);
    }

    // a zero byte is no end
    assert_true(CN_IS_NULL(cnLoadScene("{}\0", 3, 1)));
    assert_message_has("column 3: expected nothing more");
}

static void every_surrounding_of_a_good_scene_loads(void** state) {
    (void)state;
    const char* text = "\xef\xbb\xbf \r\n\t{\"format\": \"cairn-scene\", \"version\": 1.0, \"name\": "
                       "\"\\u00e9\\ud83d\\ude00 \xc3\xa9\"}\n";
    cnSceneId scene = cnLoadScene(text, strlen(text), 0);
    assert_false(CN_IS_NULL(scene));
    assert_string_equal(cnScene_GetName(scene), "\xc3\xa9\xf0\x9f\x98\x80 \xc3\xa9");
    assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
}

static void the_head_is_checked(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* path;
        const char* said;
    } cases[] = {
        {"[]", "/", "/ is a list of 0: must be an object"},
        {"{}", "/format", "is missing: must be \"cairn-scene\""},
        {"{\"format\": \"other\", \"version\": 1}", "/format", "is \"other\": must be \"cairn-scene\""},
        {"{\"format\": \"cairn-scene\"}", "/version", "is missing: must be 1"},
        {"{\"format\": \"cairn-scene\", \"version\": 2}", "/version", "is 2: must be 1"},
        {"{\"format\": \"cairn-scene\", \"version\": 1, \"Bodies\": []}", "/Bodies", "is no key of a scene"},
        {"{\"format\": \"cairn-scene\", \"version\": 1, \"name\": 3}", "/name", "is 3: must be a text"},
        {"{\"format\": \"cairn-scene\", \"version\": 1, \"version\": 1}", "/version", "is given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_true(CN_IS_NULL(cnLoadScene(cases[i].text, strlen(cases[i].text), 1)));
        assert_last_error(CN_ERROR_SCENE, cases[i].path, cases[i].said);
    }
}

#define SPHERE "'geometries': [{'shape': {'type': 'sphere', 'radius': 1}}]"
#define BODY(keys) "'bodies': [{" keys "}]"
#define SHAPE(keys) "'geometries': [{'shape': {" keys "}}]"

static void errors_name_path_what_is_wrong_and_what_is_allowed(void** state) {
    (void)state;
    static const Refusal refusals[] = {
        // types
        {"'bodies': {}", "/bodies", "is an object: must be a list"},
        {"'bodies': [1]", "/bodies/0", "is 1: must be an object"},
        {BODY("'mass': '1'"), "/bodies/0/mass", "is \"1\": must be a number > 0"},
        {BODY("'mass': null"), "/bodies/0/mass", "is null: must be a number > 0"},
        {BODY("'mass': 1, 'position': [0, 0]"), "/bodies/0/position",
         "is a list of 2: must be a list of 3 numbers"},
        {BODY("'mass': 1, 'position': [0, 0, 'x']"), "/bodies/0/position/2", "is \"x\": must be a number"},
        {BODY("'mass': 1, 'position': 0"), "/bodies/0/position", "is 0: must be a list of 3 numbers"},
        {BODY("'mass': 1, 'enabled': 1"), "/bodies/0/enabled", "is 1: must be true or false"},
        {BODY("'mass': 1, 'linearDamping': 1"), "/bodies/0/linearDamping", "must be a list of 3 numbers"},
        {BODY("'mass': 1, 'motion': 'fixed'"), "/bodies/0/motion",
         "is \"fixed\": must be one of \"dynamic\", \"static\", \"kinematic\""},
        {"'record': 'x'", "/record", "must be a list of channels"},
        {"'record': [1]", "/record/0", "must be a channel"},
        {"'world': []", "/world", "must be an object"},

        // numbers
        {BODY("'mass': 1e999"), "/bodies/0/mass", "is too large a number"},
        {BODY("'mass': 1.1e30"), "/bodies/0/mass",
         "is 1.1e+30: must be a number > 0 and of a magnitude up to 1e30"},
        {BODY("'mass': 1, 'position': [0, -1e31, 0]"), "/bodies/0/position/1", "magnitude up to 1e30"},
        {BODY("'mass': -1"), "/bodies/0/mass", "is -1: must be a number > 0"},
        {BODY("'mass': 0"), "/bodies/0/mass", "is 0: must be a number > 0"},
        {BODY("'mass': 1, 'linearDamping': [0, -1, 0]"), "/bodies/0/linearDamping/1",
         "is -1: must be a number >= 0"},
        {BODY("'mass': 1, 'massCoefficients': [0, 0, -0.1]"), "/bodies/0/massCoefficients/2",
         "must be a number >= 0"},
        {"'world': {'timeStep': 0}", "/world/timeStep", "is 0: must be a number from 1e-6 to 1 (s)"},
        {"'world': {'solver': {'iterations': 1.5}}", "/world/solver/iterations",
         "is 1.5: must be a whole number from 1"},
        {"'world': {'solver': {'substeps': 65}}", "/world/solver/substeps",
         "is 65: must be a whole number from 1 to 64"},
        {"'world': {'contactReductionResolution': 11}", "/world/contactReductionResolution", "from 1 to 10"},
        {"'world': {'sleep': {'time': -1}}", "/world/sleep/time", "must be a number >= 0"},
        {"'world': {'mergeSplit': {'speed': 1}}", "/world/mergeSplit/speed", "is no key of mergeSplit"},
        {"'world': {'mergeSplit': {'impactSpeed': -1}}", "/world/mergeSplit/impactSpeed",
         "must be a number >= 0"},
        {BODY("'mass': 1, 'mergeSplit': {'merge': 1}"), "/bodies/0/mergeSplit/merge",
         "must be true or false"},

        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'mergeSplit': {'splits': true}}]",
         "/geometries/0/mergeSplit/splits", "is no key of mergeSplit: allowed are merge, split"},

        // keys
        {BODY("'mass': 1, 'Mass': 1"), "/bodies/0/Mass",
         "is no key of a body: allowed are name, motion, position"},
        {BODY("'mass': 1, 'mass': 1"), "/bodies/0/mass", "is given twice"},
        {"'world': {'gravity': {'type': 'point', 'mu': 1}}", "/world/gravity/mu",
         "is no key of gravity of type point"},
        {"'world': {'gravity': {'type': 'kepler'}}", "/world/gravity/mu", "is missing"},
        {"'world': {'gravity': {'type': 'uniform'}}", "/world/gravity/type",
         "must be one of \"point\", \"kepler\""},
        {"'world': {'gravity': {}}", "/world/gravity/type", "is missing"},
        {SHAPE("'type': 'sphere', 'radius': 1, 'height': 1"), "/geometries/0/shape/height",
         "is no key of sphere"},
        {SHAPE("'type': 'sphere'"), "/geometries/0/shape/radius", "is missing"},
        {SHAPE("'radius': 1"), "/geometries/0/shape/type", "is missing"},
        {SHAPE("'type': 'ball'"), "/geometries/0/shape/type",
         "is \"ball\": must be one of \"sphere\", \"box\""},
        {"'geometries': [{'name': 'g'}]", "/geometries/0",
         "has none of these keys, must have exactly one: shape, shapes"},
        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'shapes': []}]", "/geometries/0",
         "more than one"},
        {"'geometries': [{'shapes': []}]", "/geometries/0/shapes",
         "is a list of 0: must be a list of at least one"},
        {"'geometries': [{'shapes': [{'position': [0, 0, 0]}]}]", "/geometries/0/shapes/0/shape",
         "is missing"},
        {"'geometries': [{'shapes': [{'shape': {'type': 'box', 'halfExtents': [1, 0, 1]}}]}]",
         "/geometries/0/shapes/0/shape/halfExtents/1", "is 0: must be a number > 0"},

        // shapes
        {BODY("'geometries': [{'shape': {'type': 'sphere', 'radius': -1}}]"),
         "/bodies/0/geometries/0/shape/radius", "is -1: must be a number > 0"},
        {SHAPE("'type': 'capsule', 'radius': 1, 'height': -1"), "/geometries/0/shape/height",
         "must be a number >= 0"},
        {SHAPE("'type': 'plane', 'normal': [0, 0, 0], 'd': 1"), "/geometries/0/shape/normal",
         "is zero: must be a vector"},
        {SHAPE("'type': 'plane', 'normal': [0, 0, 1]"), "/geometries/0/shape",
         "must have exactly one: point, d, points"},
        {SHAPE("'type': 'plane', 'd': 1"), "/geometries/0/shape/normal", "is missing"},
        {SHAPE("'type': 'plane', 'points': [[0, 0, 0], [1, 1, 1], [2, 2, 2]]"), "/geometries/0/shape/points",
         "lie on a line"},
        {SHAPE("'type': 'plane', 'points': [[0, 0, 0], [1, 1, 1]]"), "/geometries/0/shape/points",
         "three points"},
        {SHAPE("'type': 'convex', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), "/geometries/0/shape/points",
         "at least 4"},
        {SHAPE("'type': 'convex', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"),
         "/geometries/0/shape/points", "cannot be made"},
        {SHAPE("'type': 'convex', 'mesh': 'x'"), "/geometries/0/shape/mesh",
         "must be the name of a mesh of this file: none"},
        {SHAPE("'type': 'cone', 'topRadius': 0, 'bottomRadius': 0, 'height': 1"),
         "/geometries/0/shape/bottomRadius", "one of them must be > 0"},
        {SHAPE("'type': 'line', 'start': [0, 0, 0], 'end': [0, 0, 0]"), "/geometries/0/shape/end",
         "must have a length"},
        {SHAPE("'type': 'heightField', 'resolution': [2, 2], 'size': [1, 1], 'heights': [0, 0, 0]"),
         "/geometries/0/shape/heights", "is a list of 3: must have nx*ny = 4"},
        {SHAPE("'type': 'heightField', 'resolution': [2, 2], 'size': [1, 1], 'heights': [0, 0, 0, 1], "
               "'dynamic': true, 'minHeight': 0.5"),
         "/geometries/0/shape/heights/0", "minHeight = 0.5 m or more"},
        {FIELD("[0, 2, 0, 0]", "[1, 2, 3]"), "/actions/0/region", "allowed is 0 <= i0 <= i1 <= 1"},
        {FIELD("[1, 0, 0, 0]", "[1]"), "/actions/0/region", "must have i0 <= i1"},
        {FIELD("[0, 1, 0, 0]", "[1]"), "/actions/0/heights", "the region has 2 heights"},
        {"'geometries': [{'name': 'g', 'shape': {'type': 'sphere', 'radius': 1}}], 'actions': [{'at': 0, "
         "'heightField': 'g', 'region': [0, 0, 0, 0], 'heights': [1]}]",
         "/actions/0/heightField", "must name one with a heightField"},
        {SHAPE("'type': 'heightField', 'resolution': [1, 2], 'size': [1, 1], 'heights': [0, 0]"),
         "/geometries/0/shape/resolution/0", "is 1: must be a whole number from 2"},
        {"'meshes': [{'name': 'm', 'file': 'x.txt'}]", "/meshes/0/file", "must be the path of an .obj"},
        {"'meshes': [{'vertices': [[0, 0, 0], [1, 0, 0], [0, 1, 0]], 'triangles': [[0, 1, 3]]}]",
         "/meshes/0/triangles/0/2", "is 3: must be a whole number from 0 to 2"},

        // rotations and inertia
        {BODY("'mass': 1, 'rotation': [0, 0, 0, 1.002]"), "/bodies/0/rotation", "of length 1 within 1e-3"},
        {BODY("'mass': 1, 'rotation': [0, 0, 0, 0]"), "/bodies/0/rotation", "has the length 0"},
        {BODY("'mass': 1, 'rotation': [0, 0, 1]"), "/bodies/0/rotation", "must be a list of 4 numbers"},
        {BODY("'mass': 1, 'inertia': [1, 1, 3]"), "/bodies/0/inertia",
         "no moment may exceed the sum of the two others"},
        {BODY("'mass': 1, 'inertia': [1, 2, 3.00001]"), "/bodies/0/inertia", "no moment may exceed"},
        {BODY("'mass': 1, 'inertia': [0, 1, 1]"), "/bodies/0/inertia/0", "must be a number > 0"},
        {BODY("'mass': 1, 'inertia': [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]"), "/bodies/0/inertia",
         "is not symmetric"},
        {BODY("'mass': 1, 'inertia': [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), "/bodies/0/inertia",
         "positive definite"},
        {BODY("'mass': 1, 'inertia': [[1, 1, 0], [1, 1, 0], [0, 0, 1]]"), "/bodies/0/inertia",
         "positive definite"},
        {BODY("'mass': 1, 'inertia': [[1, 0, 0], [0, 1, 0], [0, 0, 3]]"), "/bodies/0/inertia",
         "none may exceed"},
        {BODY("'mass': 1, 'inertia': [[0, 0, 0], [0, 0, 0], [0, 0, 0]]"), "/bodies/0/inertia",
         "positive definite"},

        // mass
        {BODY("'name': 'b'"), "/bodies/0", "has neither a mass nor a geometry that gives one"},
        {BODY("'inertia': [1, 1, 1]"), "/bodies/0", "has neither a mass"},
        {BODY("'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'massProperties': false}]"),
         "/bodies/0", "has neither a mass"},
        {BODY("'geometries': [{'shape': {'type': 'plane', 'normal': [0, 0, 1], 'd': 0}}]"), "/bodies/0",
         "has neither a mass"},

        // names
        {BODY("'mass': 1, 'name': ''"), "/bodies/0/name", "is \"\": must be a name"},
        {BODY("'mass': 1, 'name': 'a/b'"), "/bodies/0/name", "must be a name"},
        {BODY("'mass': 1, 'name': 'a,b'"), "/bodies/0/name", "must be a name"},
        {BODY("'mass': 1, 'name': '*'"), "/bodies/0/name", "must be a name"},
        {BODY("'mass': 1, 'name': 7"), "/bodies/0/name", "is 7: must be a name"},
        {"'bodies': [{'name': 'b', 'mass': 1}, {'name': 'b', 'mass': 1}]", "/bodies/1/name",
         "the name of another body"},
        {"'materials': [{'name': 'm'}, {'name': 'm'}]", "/materials/1/name", "the name of another material"},
        {"'geometries': [{'name': 'g', 'shape': {'type': 'sphere', 'radius': 1}}], "
         "'bodies': [{'geometries': [{'name': 'g', 'shape': {'type': 'sphere', 'radius': 1}}]}]",
         "/bodies/0/geometries/0/name", "the name of another geometry"},
        {"'geometries': [{'name': 'b', 'shape': {'type': 'sphere', 'radius': 1}}], 'bodies': [{'name': 'b', "
         "'mass': 1}]",
         "/geometries/0/name", "the name of a body: a free geometry must have another"},
        {"'geometries': [{'material': 'wood', 'shape': {'type': 'sphere', 'radius': 1}}], 'materials': "
         "[{'name': 'oak'}]",
         "/geometries/0/material", "is \"wood\": must be the name of a material of this file: \"oak\""},
        {"'observers': [{'name': 'o', 'body': 'x'}]", "/observers/0/body",
         "must be the name of a body of this file: none"},
        {"'observers': [{'name': 'o'}]", "/observers/0/body", "is missing"},

        // materials
        {"'materials': [{'density': 0}]", "/materials/0/density", "must be a number > 0"},
        {"'materials': [{'viscosity': 1.5}]", "/materials/0/viscosity", "must be a number from 0 to 1"},
        {"'materials': [{'library': 'unobtainium'}]", "/materials/0/library", "unobtainium"},
        {"'materials': [{'frictions': 1}]", "/materials/0/frictions", "is no key of a material"},
        {"'materials': [{'wire': []}]", "/materials/0/wire", "must be an object"},
        {"'materials': [{'wire': {'bendModulus': -1}}]", "/materials/0/wire/bendModulus", "a number >= 0"},
        {"'materials': [{'wire': {'modulus': 1}}]", "/materials/0/wire/modulus", "a wire"},
        {"'materials': [{'name': "
         "'a name that is longer than sixty-three bytes and that no material can have'}]",
         "/materials/0/name", "allowed is 1…63"},
        {"'materials': [{'friction': 1, 'roughness': 1}]", "/materials/0/friction",
         "together with `roughness`"},
        {"'materials': [{'restitution': 1.5}]", "/materials/0/restitution", "a number from 0 to 1"},
        {"'materials': [{'name': 'm'}], 'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, "
         "'material': 'm', "
         "'restitution': 1}]",
         "/geometries/0/restitution", "together with `material`"},
        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'friction': -1}]",
         "/geometries/0/friction", "a number >= 0"},
        {"'materials': [{'frictionModel': 'boxProportionalLow'}]", "/materials/0/frictionModel",
         "must be one of \"neutral\""},
        {"'contactMaterials': [{}]", "/contactMaterials/0/materials", "is missing"},
        {"'contactMaterials': [{'materials': ['a', 'b']}]", "/contactMaterials/0/materials/0",
         "must be the name of a material"},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m']}]",
         "/contactMaterials/0/materials", "must be a list of two names"},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], 'friction': [1, -1]}]",
         "/contactMaterials/0/friction/1", "must be a number >= 0"},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], 'restitution': 2}]",
         "/contactMaterials/0/restitution", "must be a number from 0 to 1"},
        {"'materials': [{'name': 'm'}, {'name': 'n'}], 'contactMaterials': [{'materials': ['m', 'n']}, "
         "{'materials': ['n', 'm']}]",
         "/contactMaterials/1/materials", "has a contact material already"},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], 'frictionModel': "
         "{'normalForce': 1}}]",
         "/contactMaterials/0/frictionModel/normalForce",
         "is for the friction model constantNormalForce only"},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], 'frictionModel': "
         "{'type': 'coulomb'}}]",
         "/contactMaterials/0/frictionModel/type", "must be one of \"cone\""},
        {"'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], 'frictionModel': "
         "{'frame': 'x'}}]",
         "/contactMaterials/0/frictionModel/frame", "must be the name of a body"},

        // groups and pairs
        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'groups': [-1]}]",
         "/geometries/0/groups/0", "must be a whole number from 0"},
        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'groups': [1, 1]}]",
         "/geometries/0/groups/1", "is in the list already"},
        {"'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'groups': "
         "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}]",
         "/geometries/0/groups", "a geometry may be in 16"},
        {"'collisionPairs': [{'groups': ['x', 1]}]", "/collisionPairs/0/groups/0",
         "must be the name of a group"},
        {"'collisionPairs': [{'geometries': ['x', 'y']}]", "/collisionPairs/0/geometries/0",
         "must be the name of a geometry"},
        {"'collisionPairs': [{}]", "/collisionPairs/0", "must have exactly one: groups, geometries"},

        // actions
        {"'actions': [{'at': 0}]", "/actions/0", "must have exactly one: body, geometry, constraint"},
        {FREE_BODY "'actions': [{'body': 'b', 'force': [1, 0, 0]}]", "/actions/0/at", "is missing"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b'}]", "/actions/0", "says nothing to do"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'point': [0, 0, 0]}]", "/actions/0",
         "says nothing to do"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'torque': [0, 0, 1], 'point': [0, 0, 0]}]",
         "/actions/0/point", "is for a force only"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'velocity': [0, 0, 1], 'for': 1}]", "/actions/0/for",
         "is for a force or torque only"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'moveTo': {'position': [0, 0, 0]}}]",
         "/actions/0/moveTo", "is for a kinematic body"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'b', 'collisions': false}]", "/actions/0/collisions",
         "is no key of an action on a body"},
        {FREE_BODY "'actions': [{'at': 0, 'body': 'c', 'enabled': false}]", "/actions/0/body",
         "is \"c\": must be the name of a "
         "body of this file: \"b\""},
        {BODY("'name': 'b', 'motion': 'static'") ", 'actions': [{'at': 0, 'body': 'b', 'motion': 'dynamic'}]",
         "/actions/0/motion", "neither a mass nor a geometry"},

        // channels
        {"'record': ['body/b/position']", "/record/0", "names \"b\", which no body of this scene is called"},
        {FREE_BODY "'record': ['world/hash', 'body/b/speed']", "/record/1",
         "must be body/NAME/ and one of position, rotation"},
        {FREE_BODY "'record': ['speed']", "/record/0", "must be a channel body/"},
        {FREE_BODY "'record': ['contact/b/c/force']", "/record/0", "names \"c\""},
        {FREE_BODY "'record': ['contact/*/b/force']", "/record/0", "names \"*\""},
        {FREE_BODY "'record': ['world/hash/x']", "/record/0", "must be world/ and one of"},

        // an error counts more than what is not there yet
        {"'constraints': [{'type': 'ball', 'bodies': [null, null]}], 'record': ['world/hash']",
         "/constraints/0/bodies/0", "is null: must be a name"},
        {"'constraints': [{'type': 'weld', 'bodies': []}]", "/constraints/0/type",
         "must be one of \"ball\", \"hinge\""},
        {FREE_BODY "'constraints': [{'type': 'ball', 'bodies': ['b', 'b']}]", "/constraints/0/bodies",
         "is one body twice"},
        {FREE_BODY "'constraints': [{'type': 'ball', 'bodies': ['b', null], 'motor': {}}]",
         "/constraints/0/motor", "is no key of ball"},
        {FREE_BODY "'constraints': [{'type': 'hinge', 'bodies': ['b', null], 'range': {'limits': [1, 0]}}]",
         "/constraints/0/range/limits", "is [1, 0]: the first must not be greater"},
        {FREE_BODY "'constraints': [{'type': 'ball', 'bodies': ['b', null], 'cone': {'limit': 4}}]",
         "/constraints/0/cone", "def.cone.limits is 4 rad"},
        {FREE_BODY "'constraints': [{'type': 'cylindrical', 'bodies': ['b', null], 'friction': [null, "
                   "{'radius': 1e-40}]}]",
         "/constraints/0/friction/1/radius", "def.friction[1].radius is 1e-40 m"},
        {FREE_BODY "'constraints': [{'type': 'universal', 'bodies': ['b', null], 'axis': [0, 0, 1], "
                   "'reference': [1, 0, 1]}]",
         "/constraints/0/reference", "is not orthogonal to the axis"},
        {FREE_BODY "'constraints': [{'type': 'gear', 'constraints': ['x', 'y'], 'ratio': 1}]",
         "/constraints/0/constraints/0", "must be the name of a constraint"},
        {"'mergedBodies': [{'bodies': ['x']}]", "/mergedBodies/0/bodies/0", "must be the name of a body"},
        {FREE_BODY "'mergedBodies': [{'edges': [['b', 'b']]}]", "/mergedBodies/0/edges/0", "to itself"},
        {FREE_BODY "'mergedBodies': [{'bodies': ['b']}, {'bodies': ['b']}]", "/mergedBodies/1/bodies/0",
         "part of merged body"},
        {"'record': ['mergedBody/m/active']", "/record/0", "no merged body of this scene"},
        {FREE_BODY "'mergedBodies': [{'name': 'm'}], 'actions': [{'at': 0, 'mergedBody': 'm'}]", "/actions/0",
         "must have"},
        {"'world': {'sleep': {'enabled': true}}, 'bodies': [{'mass': -1}]", "/bodies/0/mass",
         "must be a number > 0"},
        {FREE_BODY "'constraints': [{'name': 'h', 'type': 'hinge', 'bodies': ['b', null]}], "
                   "'record': ['constraint/c/angle']",
         "/record/0", "no constraint of this scene is called: there is \"h\""},
        {FREE_BODY "'constraints': [{'name': 'h', 'type': 'hinge', 'bodies': ['b', null]}], "
                   "'record': ['constraint/h/speed/1']",
         "/record/0", "of a hinge"},
        {FREE_BODY "'constraints': [{'name': 'h', 'type': 'hinge', 'bodies': ['b', null]}], "
                   "'actions': [{'at': 0, 'constraint': 'h', 'motor': [{}, {}]}]",
         "/actions/0/motor", "allowed for a hinge"},
    };
    CHECK_REFUSALS(refusals, CN_ERROR_SCENE);
}

#define CONTACT(keys)                                                                                        \
    "'materials': [{'name': 'm'}], 'contactMaterials': [{'materials': ['m', 'm'], " keys "}]"

static void values_that_change_nothing_are_accepted(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "'meshes': [], 'constraints': [], 'mergedBodies': [], 'actions': [], 'record': [], 'collisionPairs': "
        "[]",
        "'world': {'sleep': {'enabled': false, 'linear': 0.1, 'angular': 0.1, 'time': 1}, 'mergeSplit': "
        "{'enabled': false}}",
        "'world': {'contactReduction': 'all', 'contactReductionResolution': 10, 'contactWarmStart': false, "
        "'gyroscopic': false}",
        "'world': {'solver': {'default': 'auto', 'iterations': 3, 'substeps': 2, 'warmStart': false}}",
        "'geometries': [{'shape': {'type': 'sphere', 'radius': 1}, 'sensor': false, 'surfaceVelocity': [0, "
        "0, 0]}]",
        BODY("'mass': 1, 'fast': false, 'sleep': false, 'mergeSplit': {'merge': false, 'split': false}"),
        BODY("'mass': 1, 'inertia': [1, 2, 3]"),
        BODY("'mass': 1, 'inertia': [[1, 1e-12, 0], [0, 2, 0], [0, 0, 3]]"),
        BODY("'mass': 1, 'rotation': [0, 0, 0, -1.0009]"),
        BODY("'motion': 'static'"),
        BODY("'motion': 'kinematic', 'velocity': [1, 0, 0]"),
        SHAPE("'type': 'capsule', 'radius': 1, 'height': 0"),
        "'materials': [{'adhesion': {'force': 0, 'overlap': 0.1}}, {'name': 'unused'}, {}, {'wire': {}}]",
        CONTACT("'contactArea': {'enabled': false, 'minRestLength': 0.1}, 'rollingResistance': [0, 0], "
                "'spinningFriction': 0, "
                "'slide': [0, 0], 'staticFrictionScale': 1, 'adhesion': {'force': 0}"),
        CONTACT("'frictionModel': {'type': 'none'}"),
        CONTACT("'frictionModel': {'solve': 'iterative', 'exactCone': false}"),
        CONTACT("'frictionModel': {'type': 'cone', 'exactCone': true}"),
        FREE_BODY "'observers': [{'body': 'b'}]",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        size_t before = cnGetBytesInUse();
        cnSceneId scene = must_load(scenes[i]);
        step_scene(scene, 2);
        assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
        assert_int_equal(cnGetBytesInUse(), before);
    }
}

static void words_of_solvers_are_read(void** state) {
    (void)state;
    static const struct {
        const char* word;
        cnSolverType type;
    } solvers[] = {
        {"auto", cn_solverAuto},
        {"direct", cn_solverDirect},
        {"split", cn_solverSplit},
        {"iterative", cn_solverIterative},
        {"directAndIterative", cn_solverIterative},
    };
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; ++i) {
        char rest[128];
        snprintf(rest, sizeof rest, "'world': {'solver': {'default': '%s'}}", solvers[i].word);
        cnSceneId scene = must_load(rest);
        assert_int_equal(cnWorld_GetSolver(cnScene_GetWorld(scene)).type, solvers[i].type);
        cnDestroyScene(scene);
    }
}

#define TETRAHEDRON                                                                                          \
    "'meshes': [{'name': 'm', 'vertices': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 'triangles': "       \
    "[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]}, {'name': 'sheet', 'vertices': [[0, 0, 0], [1, 0, 0], "   \
    "[0, 1, 0]], 'triangles': [[0, 1, 2]]}], "

static void meshes_make_shapes(void** state) {
    (void)state;
    size_t before = cnGetBytesInUse();
    cnSceneId scene = must_load(
        TETRAHEDRON
        "'bodies': [{'name': 'solid', 'geometries': [{'shape': {'type': 'trimesh', 'mesh': 'm'}}]}, "
        "{'name': 'hull', 'position': [9, 0, 0], 'geometries': [{'shape': {'type': 'convex', "
        "'mesh': 'm'}}]}, {'name': 'sheet', 'position': [0, 9, 0], 'mass': 2, 'inertia': [1, 1, 1], "
        "'geometries': [{'shape': {'type': 'trimesh', 'mesh': 'sheet'}}]}], "
        "'geometries': [{'position': [0, 0, 9], 'shape': {'type': 'trimesh', 'mesh': 'sheet', "
        "'terrain': true, 'bottomMargin': 1, 'winding': 'recalculated', 'mergeVertices': true}}]");
    cnWorldId world = cnScene_GetWorld(scene);
    double solid = cnBody_GetMass(world, cnScene_FindBody(scene, "solid"));
    double hull = cnBody_GetMass(world, cnScene_FindBody(scene, "hull"));
    assert_true(fabs(solid - 1000.0 / 6.0) < 1e-9 && fabs(hull - solid) < 1e-9);
    step_scene(scene, 2);
    assert_int_equal(cnDestroyScene(scene), CN_ERROR_NONE);
    assert_int_equal(cnGetBytesInUse(), before);

    static const Refusal refusals[] = {
        {TETRAHEDRON BODY("'geometries': [{'shape': {'type': 'trimesh', 'mesh': 'sheet'}}]"), "/bodies/0",
         "neither a mass nor"},
        {TETRAHEDRON SHAPE("'type': 'trimesh', 'mesh': 'm', 'winding': 'cw'"), "/geometries/0/shape",
         "wound counter-clockwise"},
        {TETRAHEDRON SHAPE("'type': 'convex', 'mesh': 'sheet'"), "/geometries/0/shape", "4"},
        {TETRAHEDRON SHAPE("'type': 'trimesh', 'mesh': 'none'"), "/geometries/0/shape/mesh",
         "of this file: \"m\""},
        {"'meshes': [{'name': 'm', 'vertices': [[0, 0, 0], [1, 0, 0], [0, 1, 0]], 'triangles': []}]",
         "/meshes/0/triangles", "at least one triangle"},
    };
    CHECK_REFUSALS(refusals, CN_ERROR_SCENE);
}

static void contact_reduction_is_a_setting(void** state) {
    (void)state;
    static const struct {
        const char* world;
        cnContactReductionMode mode;
        int resolution;
    } cases[] = {
        {"'world': {}", cn_reductionMaterial, 3},
        {"'world': {'contactReduction': 'none'}", cn_reductionNone, 3},
        {"'world': {'contactReduction': 'all', 'contactReductionResolution': 10}", cn_reductionAll, 10},
        {"'world': {'contactReduction': 'material', 'contactReductionResolution': 1}", cn_reductionMaterial,
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        cnSceneId scene = must_load(cases[i].world);
        assert_int_equal(cnWorld_GetContactReduction(cnScene_GetWorld(scene)), cases[i].mode);
        assert_int_equal(cnWorld_GetContactReductionResolution(cnScene_GetWorld(scene)), cases[i].resolution);
        cnDestroyScene(scene);
    }
}

static void planes_have_three_forms(void** state) {
    (void)state;
    // all are the plane z = 2 with the solid below; normal·x = d is taken literally
    static const char* const forms[] = {
        "'normal': [0, 0, 1], 'd': 2",
        "'normal': [0, 0, 2], 'd': 4",
        "'normal': [0, 0, 3], 'point': [7, 7, 2]",
        "'points': [[0, 0, 2], [1, 0, 2], [0, 1, 2]]",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        char rest[256];
        snprintf(rest, sizeof rest, "'geometries': [{'name': 'p', 'shape': {'type': 'plane', %s}}]",
                 forms[i]);
        cnSceneId scene = must_load(rest);
        cnWorldId world = cnScene_GetWorld(scene);
        step_world(world, 1);
        cnRayResult hit = cnWorld_CastRay(world, cnVec(1.0, 2.0, 10.0), cnVec(0.0, 0.0, -20.0), NULL);
        assert_false(CN_IS_NULL(hit.geometry));
        assert_near_vec(hit.point, cnVec(1.0, 2.0, 2.0), 1e-12);
        cnDestroyScene(scene);
    }
}

int main(void) {
    return run_all(syntax_errors_name_line_and_column, every_surrounding_of_a_good_scene_loads,
                   the_head_is_checked, errors_name_path_what_is_wrong_and_what_is_allowed,
                   words_of_solvers_are_read, values_that_change_nothing_are_accepted,
                   contact_reduction_is_a_setting, planes_have_three_forms, meshes_come_from_files,
                   meshes_make_shapes);
}
