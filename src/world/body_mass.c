// Mass, centre of mass and inertia that bodies get from their geometries.
#include "dynamics/motion.h"
#include "world/carriers.h"

cnMat33 cnSteiner(double mass, cnVec3 d) {
    double dd = cnLengthSquared(d);
    return cnScaleMat(mass, (cnMat33){{dd - d.x * d.x, -d.y * d.x, -d.z * d.x},
                                      {-d.x * d.y, dd - d.y * d.y, -d.z * d.y},
                                      {-d.x * d.z, -d.y * d.z, dd - d.z * d.z}});
}

// Mass, centre and inertia about it of all geometries of a body, in its model frame.
static cnMassProperties SumGeometries(const cnWorld* world, int bodyRow) {
    cnMassProperties sum = {0};
    cnMat33 aboutOrigin = {0};
    cnVec3 moment = cnVec3_zero;
    const cnGeometryTable* geometries = &world->geometries;
    for (int g = world->bodies.firstGeometry[bodyRow]; g >= 0; g = geometries->nextOfBody[g]) {
        if ((geometries->flags[g] & cn_geometryGivesMass) == 0) {
            continue;
        }
        double density = cnMaterialTables_GetDensity(&world->materials, geometries->material[g]);
        for (int p = geometries->firstProxy[g]; p >= 0; p = world->proxies.nextOfGeometry[p]) {
            const cnMassProperties* unit = &world->shapes.shapes[world->proxies.shape[p]]->mass;
            cnPose pose = {world->proxies.localPosition[p], world->proxies.localRotation[p]};
            double mass = density * unit->volume;
            cnVec3 centre = cnTransformPoint(pose, unit->centre);
            cnMat33 inertia = cnRotateMat(cnMatFromQuat(pose.rotation), cnScaleMat(density, unit->inertia));
            sum.volume += unit->volume;
            sum.mass += mass;
            moment = cnMulAdd(moment, mass, centre);
            aboutOrigin = cnAddMat(aboutOrigin, cnAddMat(inertia, cnSteiner(mass, centre)));
        }
    }
    if (sum.mass > 0.0) {
        sum.centre = cnScale(1.0 / sum.mass, moment);
        sum.inertia = cnAddMat(aboutOrigin, cnSteiner(-sum.mass, sum.centre));
    }
    return sum;
}

void cnKeepMassProperties(cnWorld* world, int row) {
    if (SumGeometries(world, row).mass > 0.0) {
        world->bodies.flags[row] |= cn_bodyMassKept;
    }
}

void cnRefreshMassProperties(cnWorld* world, int row) {
    cnBodyTable* bodies = &world->bodies;
    cnLoosen(world, row);
    cnMassProperties sum = SumGeometries(world, row);
    if (sum.mass > 0.0) {
        bodies->flags[row] &= ~(uint32_t)cn_bodyMassKept;
    }
    uint32_t flags = bodies->flags[row];
    bool keeps = (flags & cn_bodyMassKept) != 0;
    if ((flags & cn_bodyMassGiven) == 0 && !keeps) {
        bodies->mass[row] = sum.mass > 0.0 ? sum.mass : 1.0;
    }
    if ((flags & cn_bodyCentreGiven) == 0 && !keeps) {
        bodies->localCentreOfMass[row] = sum.mass > 0.0 ? sum.centre : cnVec3_zero;
    }
    if ((flags & cn_bodyInertiaGiven) == 0 && !(keeps && !cnIsZeroMat(bodies->inertia[row]))) {
        cnMat33 inertia = cnScaleMat(bodies->mass[row], cnDiagonal(cnVec(1.0, 1.0, 1.0)));
        if (sum.mass > 0.0) {
            // about the body's centre, at the body's mass
            cnVec3 offset = cnSub(sum.centre, bodies->localCentreOfMass[row]);
            inertia =
                cnScaleMat(bodies->mass[row] / sum.mass, cnAddMat(sum.inertia, cnSteiner(sum.mass, offset)));
        }
        bodies->inertia[row] = inertia;
    }
    cnBody_UpdateMass(bodies, row);
    cnBody_UpdateCentre(bodies, row);
}
