#include "collide/pairs/contact_table.h"

const cnColumnList cnContactColumns = CN_COLUMN_LIST(CN_CONTACT_COLUMNS, cnContactTable);
const cnColumnList cnContactPointColumns = CN_COLUMN_LIST(CN_CONTACT_POINT_COLUMNS, cnContactPointTable);
const cnColumnList cnContactEventColumns = CN_COLUMN_LIST(CN_CONTACT_EVENT_COLUMNS, cnContactEventTable);

// By half only: the rows are rebuilt in every step.
int cnContactCapacity(int capacity, int rows) {
    int grown = capacity + capacity / 2 > rows ? capacity + capacity / 2 : rows;
    return CN_GUARDS && rows < 64 ? rows : grown < 64 ? 64 : grown;
}
