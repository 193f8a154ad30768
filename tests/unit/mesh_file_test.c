// Mesh files: a cube is the same from every format, polygons and strips are triangulated,
// errors name the place.
#include "cairn/assets.h"
#include "files.h"

// ---- one cube in every format -----------------------------------------------------------------------------

// of side 2 about (1, 2, 3.5), faces counter-clockwise seen from outside
static const double corners[8][3] = {{0, 1, 2.5}, {2, 1, 2.5}, {2, 3, 2.5}, {0, 3, 2.5},
                                     {0, 1, 4.5}, {2, 1, 4.5}, {2, 3, 4.5}, {0, 3, 4.5}};
static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static double mesh_volume(const cnMeshData* mesh) {
    double volume = 0.0;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int32_t* t = mesh->triangles + 3 * i;
        volume += cnDot(mesh->vertices[t[0]], cnCross(mesh->vertices[t[1]], mesh->vertices[t[2]])) / 6.0;
    }
    return volume;
}

static cnVec3 area_of_mesh(const cnMeshData* mesh, double* area) {
    cnVec3 sum = cnVec3_zero;
    *area = 0.0;
    for (int i = 0; i < mesh->triangleCount; ++i) {
        const int32_t* t = mesh->triangles + 3 * i;
        cnVec3 a = mesh->vertices[t[0]];
        cnVec3 part = cnScale(0.5, cnCross(cnSub(mesh->vertices[t[1]], a), cnSub(mesh->vertices[t[2]], a)));
        sum = cnAdd(sum, part);
        *area += cnLength(part);
    }
    return sum;
}

// Indices inside, parts that tile the arrays and use their own vertices.
static void check_mesh(const cnMeshData* mesh) {
    assert_true(mesh->triangleCount >= 1 && mesh->partCount >= 1);
    int vertex = 0;
    int triangle = 0;
    for (int i = 0; i < mesh->partCount; ++i) {
        const cnMeshPart* part = &mesh->parts[i];
        assert_int_equal(part->firstVertex, vertex);
        assert_int_equal(part->firstTriangle, triangle);
        vertex += part->vertexCount;
        triangle += part->triangleCount;
        for (int k = 3 * part->firstTriangle; k < 3 * triangle; ++k) {
            assert_in_range(mesh->triangles[k], (unsigned)part->firstVertex, (unsigned)vertex - 1);
        }
    }
    assert_int_equal(vertex, mesh->vertexCount);
    assert_int_equal(triangle, mesh->triangleCount);
}

static cnMeshData read_mesh(const char* format, const File* file, const cnMeshOptions* options) {
    cnMeshData mesh;
    // a copy of its own, so that the sanitizer sees a byte too far
    uint8_t* copy = malloc(file->length);
    assert_non_null(copy);
    memcpy(copy, file->bytes, file->length);
    cnErrorCode code = cnReadMesh(format, copy, file->length, options, &mesh);
    free(copy);
    if (code != CN_ERROR_NONE) {
        print_error("%s: %s\n", format != NULL ? format : "guessed", cnGetLastError()->message);
        fail();
    }
    check_mesh(&mesh);
    return mesh;
}

static void expect_cube(const char* format, const File* file) {
    const char* formats[] = {format, NULL};
    for (int i = 0; i < 2; ++i) {
        cnMeshData mesh = read_mesh(formats[i], file, NULL);
        assert_int_equal(mesh.vertexCount, 8);
        assert_int_equal(mesh.triangleCount, 12);
        assert_int_equal(mesh.partCount, 1);
        assert_true(fabs(mesh_volume(&mesh) - 8.0) < 1e-12);
        double area;
        cnVec3 sum = area_of_mesh(&mesh, &area);
        assert_true(fabs(area - 24.0) < 1e-12 && cnLength(sum) < 1e-12);
        cnFreeMesh(&mesh);
        assert_null(mesh.vertices);
    }
}

static void add_cube_lines(File* file, const char* prefix, const char* suffix) {
    for (int i = 0; i < 8; ++i) {
        add_text(file, "%s%g %g %g%s\n", prefix, corners[i][0], corners[i][1], corners[i][2], suffix);
    }
}

static void make_text_stl(File* file, const char* lineEnd) {
    add_text(file, "solid a cube%s", lineEnd);
    for (int i = 0; i < 12; ++i) {
        add_text(file, "facet normal 0 0 0%s outer loop%s", lineEnd, lineEnd);
        for (int k = 0; k < 3; ++k) {
            const double* c = corners[faces[i / 2][k == 0 ? 0 : k + i % 2]];
            add_text(file, "  vertex %e %g %g%s", c[0], c[1], c[2], lineEnd);
        }
        add_text(file, " endloop%sendfacet%s", lineEnd, lineEnd);
    }
    add_text(file, "endsolid a cube%s", lineEnd);
}

static void make_binary_ply(File* file, bool isBigEndian) {
    add_text(file,
             "ply\nformat binary_%s_endian 1.0\ncomment a cube\nelement vertex 8\nproperty float x\n"
             "property uchar red\nproperty double y\nproperty float z\nelement extra 2\nproperty list uchar "
             "short q\n"
             "element face 6\nproperty float w\nproperty list uchar int vertex_indices\nend_header\n",
             isBigEndian ? "big" : "little");
    for (int i = 0; i < 8; ++i) {
        add_float(file, corners[i][0], isBigEndian);
        add_number(file, 200, 1, isBigEndian);
        uint64_t bits;
        memcpy(&bits, &corners[i][1], sizeof bits);
        add_number(file, bits, 8, isBigEndian);
        add_float(file, corners[i][2], isBigEndian);
    }
    for (unsigned i = 0; i < 2; ++i) {
        add_number(file, i, 1, isBigEndian);
        add_number(file, 0xfffe, i > 0 ? 2 : 0, isBigEndian);
    }
    for (int i = 0; i < 6; ++i) {
        add_float(file, 0.5, isBigEndian);
        add_number(file, 4, 1, isBigEndian);
        for (int k = 0; k < 4; ++k) {
            add_number(file, (uint64_t)faces[i][k], 4, isBigEndian);
        }
    }
}

// Four vertices a face, as a program that draws has them: 24 positions, 36 indices.
static void make_cube_buffer(File* file) {
    for (int i = 0; i < 24; ++i) {
        for (int k = 0; k < 3; ++k) {
            // half the size about the origin: the node's transform does the rest
            static const double centre[3] = {1.0, 2.0, 3.5};
            add_float(file, 0.5 * (corners[faces[i / 4][i % 4]][k] - centre[k]), false);
        }
    }
    for (int i = 0; i < 36; ++i) {
        static const int order[6] = {0, 1, 2, 0, 2, 3};
        int corner = 4 * (i / 6) + order[i % 6];
        add_number(file, (uint64_t)corner, 2, false);
    }
}

static const char gltfRest[] =
    "\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[1]}],"
    "\"nodes\":[{\"name\":\"cube\",\"mesh\":0,\"scale\":[2,2,-2]},"
    "{\"children\":[0],\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"translation\":[1,2,3.5]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":24,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":288},{\"buffer\":0,\"byteOffset\":288,\"byteLength\":72}]";

static void add_base64(File* file, const File* data) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < data->length; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) {
            bits = bits << 8 | (i + k < data->length ? data->bytes[i + k] : 0);
        }
        for (size_t k = 0; k < 4; ++k) {
            bool isPad = i + k > data->length;
            add_text(file, "%c", isPad ? '=' : letters[bits >> (18 - 6 * k) & 63]);
        }
    }
}

static void make_glb(File* file, const File* buffer) {
    File json = {.length = 0};
    add_text(&json, "{%s,\"buffers\":[{\"byteLength\":%zu}]}", gltfRest, buffer->length);
    while (json.length % 4 != 0) {
        add_text(&json, " ");
    }
    add_text(file, "glTF");
    add_number(file, 2, 4, false);
    add_number(file, 12 + 8 + json.length + 8 + buffer->length, 4, false);
    add_number(file, json.length, 4, false);
    add_text(file, "JSON%s", (const char*)json.bytes);
    add_number(file, buffer->length, 4, false);
    add_text(file, "BIN");
    add_number(file, 0, 1, false);
    memcpy(file->bytes + file->length, buffer->bytes, buffer->length);
    file->length += buffer->length;
}

static const void* find_buffer(const char* name, size_t* length, void* context) {
    const File* buffer = context;
    if (strcmp(name, "models/a cube.bin") != 0) {
        return NULL;
    }
    *length = buffer->length;
    return buffer->bytes;
}

static void a_cube_is_the_same_from_every_format(void** state) {
    (void)state;
    size_t before = cnGetBytesInUse();

    // OBJ: polygons, negative numbers, texture and normal numbers, a line that goes on, Windows line ends
    File obj = {.length = 0};
    add_text(&obj, "# a cube\r\nmtllib x.mtl\r\no cube\r\n");
    add_cube_lines(&obj, "v ", " 1.0\r");
    add_text(&obj, "vt 0 0\nvn 0 0 1\n");
    for (int i = 0; i < 6; ++i) {
        const int* f = faces[i];
        add_text(&obj, i % 2 == 0 ? "f %d/1/1 %d//1 \\\n %d/1 %d\n" : "f %d %d %d %d # face\n", f[0] + 1,
                 f[1] - 8, f[2] + 1, f[3] - 8);
    }
    expect_cube(".obj", &obj);

    File off = {.length = 0};
    add_text(&off, "\n# a cube\nCNOFF # head\n8 6 12\n\n");
    add_cube_lines(&off, "", " 0 0 1 255 0 0 255 # vertex");
    for (int i = 0; i < 6; ++i) {
        add_text(&off, "4 %d %d %d %d 0.5 0.5 0.5\n", faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    }
    expect_cube("cube.off", &off);
    File joined = {.length = 0};
    add_text(&joined, "OFF8 6 0\n");
    add_cube_lines(&joined, "", "");
    for (int i = 0; i < 6; ++i) {
        add_text(&joined, "4 %d %d %d %d\n", faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    }
    expect_cube("off", &joined);

    File ply = {.length = 0};
    add_text(&ply,
             "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
             "element face 6\nproperty list uchar uint vertex_index\nend_header\n");
    add_cube_lines(&ply, "", "");
    for (int i = 0; i < 6; ++i) {
        add_text(&ply, "4 %d %d %d %d\n", faces[i][0], faces[i][1], faces[i][2], faces[i][3]);
    }
    expect_cube("ply", &ply);
    for (int i = 0; i < 2; ++i) {
        File binary = {.length = 0};
        make_binary_ply(&binary, i == 1);
        expect_cube("PLY", &binary);
    }

    File text = {.length = 0};
    make_text_stl(&text, "\n");
    expect_cube("stl", &text);
    File old = {.length = 0};
    make_text_stl(&old, "\r");
    expect_cube("stl", &old);
    File binary = {.length = 80};
    memcpy(binary.bytes, "solid that is binary", 20);
    add_number(&binary, 12, 4, false);
    for (int i = 0; i < 12; ++i) {
        binary.length += 12;
        for (int k = 0; k < 9; ++k) {
            add_float(&binary, corners[faces[i / 2][k < 3 ? 0 : k / 3 + i % 2]][k % 3], false);
        }
        add_number(&binary, 0, 2, false);
    }
    expect_cube("stl", &binary);

    // glTF: data in the text, in a file of its own, in the binary form
    File buffer = {.length = 0};
    make_cube_buffer(&buffer);
    File gltf = {.length = 0};
    add_text(&gltf, "{%s,\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:application/octet-stream;base64,",
             gltfRest, buffer.length);
    add_base64(&gltf, &buffer);
    add_text(&gltf, "\"}]}");
    expect_cube("gltf", &gltf);
    File glb = {.length = 0};
    make_glb(&glb, &buffer);
    expect_cube("glb", &glb);
    File outside = {.length = 0};
    add_text(&outside, "{%s,\"buffers\":[{\"byteLength\":%zu,\"uri\":\"a%%20cube.bin\"}]}", gltfRest,
             buffer.length);
    cnFileSource files = {find_buffer, &buffer};
    cnMeshData mesh =
        read_mesh("gltf", &outside, &(cnMeshOptions){.files = &files, .path = "models/cube.gltf"});
    assert_int_equal(mesh.vertexCount, 8);
    assert_true(fabs(mesh_volume(&mesh) - 8.0) < 1e-12);
    assert_string_equal(mesh.parts[0].name, "cube");
    cnFreeMesh(&mesh);
    assert_int_equal(cnReadMesh("gltf", outside.bytes, outside.length, NULL, &mesh), CN_ERROR_FILE);
    assert_message_has("/buffers/0/uri");
    assert_message_has("a cube.bin");
    assert_int_equal(cnGetBytesInUse(), before);
}

// ---- polygons, strips, parts ------------------------------------------------------------------------------

// A polygon at random that is star-shaped about the origin, tilted in space: its triangles have its area, all
// on the same side.
static void polygons_keep_their_area(void** state) {
    (void)state;
    for (int n = 0; n < CASES(3000); ++n) {
        File file = {.length = 0};
        int count = 3 + (int)(random_bits() % 30);
        cnVec3 tilt =
            cnNormalize(cnVec((double)(random_bits() % 7) - 3.0, (double)(random_bits() % 7) - 3.0, 0.5));
        cnVec3 u = cnNormalize(cnCross(tilt, cnVec(0.3, 1.0, -0.2)));
        cnVec3 v = cnCross(tilt, u);
        cnVec3 points[40];
        cnVec3 twiceArea = cnVec3_zero;
        for (int i = 0; i < count; ++i) {
            double angle = 2.0 * 3.14159265358979 * i / count;
            double radius = 0.2 + (double)(random_bits() % 1000) / 1000.0;
            points[i] = cnAdd(cnScale(radius * cos(angle), u), cnScale(radius * sin(angle), v));
            add_text(&file, "v %.17g %.17g %.17g\n", points[i].x, points[i].y, points[i].z);
        }
        add_text(&file, "f");
        for (int i = 0; i < count; ++i) {
            add_text(&file, " %d", i + 1);
            twiceArea = cnAdd(twiceArea, cnCross(points[i], points[(i + 1) % count]));
        }
        cnMeshData mesh = read_mesh("obj", &file, NULL);
        double area;
        cnVec3 sum = area_of_mesh(&mesh, &area);
        assert_int_equal(mesh.triangleCount, count - 2);
        assert_true(cnLength(cnSub(sum, cnScale(0.5, twiceArea))) < 1e-12);
        assert_true(fabs(area - 0.5 * cnLength(twiceArea)) < 1e-12);
        cnFreeMesh(&mesh);
    }
}

static void strips_and_fans_are_triangulated(void** state) {
    (void)state;
    // a strip of four triangles along x, all facing +z
    File ply = {.length = 0};
    add_text(&ply,
             "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
             "element tristrips 1\nproperty list int int vertex_indices\nend_header\n");
    for (int i = 0; i < 6; ++i) {
        add_text(&ply, "%d %d 0\n", i / 2, 1 - i % 2);
    }
    add_text(&ply, "8 0 1 2 3 4 5 -1 0\n");
    cnMeshData mesh = read_mesh(NULL, &ply, NULL);
    double area;
    cnVec3 sum = area_of_mesh(&mesh, &area);
    assert_int_equal(mesh.triangleCount, 4);
    assert_true(fabs(sum.z - 2.0) < 1e-15 && fabs(area - 2.0) < 1e-15);
    cnFreeMesh(&mesh);

    // the same points by glTF's strip, and a square by its fan
    for (int mode = 5; mode <= 6; ++mode) {
        File data = {.length = 0};
        int count = mode == 5 ? 6 : 4;
        for (int i = 0; i < count; ++i) {
            add_float(&data, mode == 5 ? i / 2 : (i + 1) / 2 % 2, false);
            add_float(&data, mode == 5 ? 1 - i % 2 : i / 2, false);
            add_float(&data, 0.0, false);
        }
        File gltf = {.length = 0};
        add_text(
            &gltf,
            "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"name\":\"m\",\"primitives\":[{\"mode\":%d,"
            "\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
            "\"count\":%d,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],"
            "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:;base64,",
            mode, count, data.length, data.length);
        add_base64(&gltf, &data);
        add_text(&gltf, "\"}]}");
        mesh = read_mesh(NULL, &gltf, NULL);
        sum = area_of_mesh(&mesh, &area);
        double wanted = mode == 5 ? 2.0 : 1.0;
        assert_true(fabs(sum.z - wanted) < 1e-15 && fabs(area - wanted) < 1e-15);
        assert_string_equal(mesh.parts[0].name, "m");
        cnFreeMesh(&mesh);
    }
}

static void parts_are_joined_or_kept_apart(void** state) {
    (void)state;
    File obj = {.length = 0};
    add_text(&obj,
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 1 1 0\no left one\nf 1 2 3\no empty\no right\nf 2 5 3\n");
    cnMeshData mesh = read_mesh("obj", &obj, NULL);
    assert_int_equal(mesh.partCount, 1);
    assert_int_equal(mesh.vertexCount, 5);
    assert_int_equal(mesh.triangles[3], 1);
    assert_string_equal(mesh.parts[0].name, "");
    cnFreeMesh(&mesh);

    mesh = read_mesh("obj", &obj, &(cnMeshOptions){.keepApart = true});
    assert_int_equal(mesh.partCount, 2);
    assert_int_equal(mesh.vertexCount, 6); // 2 and 3 stand in both, 4 in none
    assert_string_equal(mesh.parts[0].name, "left one");
    assert_string_equal(mesh.parts[1].name, "right");
    assert_true(mesh.vertices[mesh.triangles[4]].x == 1.0 && mesh.vertices[mesh.triangles[4]].y == 1.0);
    cnFreeMesh(&mesh);

    // triangles with a vertex twice are left out, also when places make them so
    File stl = {.length = 0};
    add_text(&stl,
             "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex -0 0 0\nendloop\nendfacet\n"
             "facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n");
    mesh = read_mesh("stl", &stl, NULL);
    assert_int_equal(mesh.triangleCount, 1);
    assert_int_equal(mesh.droppedCount, 1);
    assert_int_equal(mesh.vertexCount, 3);
    cnFreeMesh(&mesh);
}

// ---- errors -----------------------------------------------------------------------------------------------

static void expect_error(const char* format, const char* text, const char* part) {
    cnMeshData mesh;
    cnClearLastError();
    assert_int_equal(cnReadMesh(format, text, strlen(text), NULL, &mesh), CN_ERROR_FILE);
    assert_null(mesh.vertices);
    assert_message_has(part);
}

static void errors_name_the_place(void** state) {
    (void)state;
    size_t before = cnGetBytesInUse();
    expect_error("obj", "v 0 0 0\nv 1 0\n", "line 2: a vertex has 2 coordinates");
    expect_error("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 9\n",
                 "line 5: a face has the vertex 9: must be 1 to 3");
    expect_error("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "vertex -4");
    expect_error("obj", "v 0 0 0\nf 1 1\n", "must have at least 3");
    expect_error("obj", "v 0 0 nan\n", "\"nan\" is no number");
    expect_error("obj", "v 0 0 1e31\n", "too large");
    expect_error("obj", "# nothing\n", "no triangles");
    expect_error("off", "OFF\n100000000 1 0\n", "line 2: the count of vertices is 100000000");
    expect_error("off", "OFF BINARY\n", "binary OFF is not read");
    expect_error("off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "must be 0 to 2");
    expect_error("ply",
                 "ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
                 "property float z\nend_header\n0 0 0\n",
                 "the file ends inside");
    expect_error("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
                 "lacks one of");
    expect_error("stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "line 5");
    expect_error("stl", "junk", "byte 80");
    expect_error("gltf", "{\"asset\":{\"version\":\"2.0\"", "byte");
    expect_error("gltf", "{\"asset\":{\"version\":\"1.0\"}}", "/asset/version");
    expect_error("gltf",
                 "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
                 "KHR_draco_mesh_compression");
    expect_error(
        "gltf",
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]}",
        "/nodes/0");
    expect_error("gltf",
                 "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":"
                 "{\"POSITION\":3}}]}]}",
                 "/meshes/0/POSITION is wrong");

    cnMeshData mesh;
    assert_int_equal(cnReadMesh("fbx", "x", 1, NULL, &mesh), CN_ERROR_UNKNOWN_NAME);
    assert_int_equal(cnReadMesh("obj", NULL, 1, NULL, &mesh), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnReadMesh("obj", "x", 1, NULL, NULL), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnGetBytesInUse(), before);
}

int main(void) {
    return run_all(a_cube_is_the_same_from_every_format, polygons_keep_their_area,
                   strips_and_fans_are_triangulated, parts_are_joined_or_kept_apart, errors_name_the_place);
}
