-- compatible_from: 3
-- Why a change happened (src/store/stored-cause.ts); NULL in changes of older releases. The column is the
-- last one, so existing rows are not rewritten. Programs before this one insert rows of twelve
-- columns and cannot write to this table.
ALTER TABLE change ADD COLUMN cause BLOB;
