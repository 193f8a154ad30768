#include "math/tangent.h"

cnVec3 cnFindTangent(cnVec3 unit) {
    return cnNormalize(cnCross(unit, fabs(unit.x) < 0.6 ? cnVec(1.0, 0.0, 0.0) : cnVec(0.0, 1.0, 0.0)));
}
