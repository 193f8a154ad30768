#include "dynamics/body_table.h"

const cnColumnList cnBodyColumns = CN_COLUMN_LIST(CN_BODY_COLUMNS, cnBodyTable);
