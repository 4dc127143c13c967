-- compatible_from: 1
-- The log and the indexes over it. See docs/decisions/0002-store-design.md.
-- Texts compare as UTF-8 bytes (BINARY), which is the order by code point.

-- One row. It is written by every commit, so it is where a lost answer is looked up.
CREATE TABLE head (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  revision   INTEGER NOT NULL,
  compacted  INTEGER NOT NULL, -- snapshots below this are gone
  compacting INTEGER NOT NULL, -- how far the removal has come; behind compacted while it goes on
  last_token INTEGER NOT NULL, -- no claim has a higher one; lower ones may never have been given
  batch      INTEGER NOT NULL, -- the newest batch that was committed
  answers    TEXT NOT NULL     -- what it and the one before it were answered, a line each
) STRICT;

INSERT INTO head VALUES (1, 0, 0, 0, 0, 0, '');

CREATE TABLE change (
  revision  INTEGER PRIMARY KEY,
  previous  INTEGER,       -- the change this one replaced; NULL for a creation
  type      TEXT NOT NULL, -- created, updated, deleted
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  uid       TEXT NOT NULL,
  at_ms     INTEGER NOT NULL,
  terms     TEXT NOT NULL, -- a JSON array
  digest    BLOB NOT NULL,
  document  TEXT,          -- NULL: a deletion that shows the previous document
  sealed    BLOB
) STRICT;

-- What was replaced after a revision: old snapshots. It grows at its end, so it costs little; with
-- the creations in it as well, every write would cost 7 % more.
CREATE INDEX change_replaced ON change (kind, revision, previous, namespace, name)
  WHERE previous IS NOT NULL;
-- The earlier lives of a key.
CREATE INDEX change_deleted ON change (kind, namespace, name, revision) WHERE type = 'deleted';
CREATE INDEX change_sealed ON change (revision) WHERE sealed IS NOT NULL;

-- Key -> newest change, for what exists. Digest and terms are copies, to judge without the log.
CREATE TABLE resource (
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  revision  INTEGER NOT NULL,
  uid       TEXT NOT NULL,
  digest    BLOB NOT NULL,
  terms     TEXT NOT NULL,
  PRIMARY KEY (kind, namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE term (
  kind      TEXT NOT NULL,
  term      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  PRIMARY KEY (kind, term, namespace, name)
) STRICT, WITHOUT ROWID;

-- Work. While a claim is live due_at is the end of its lease. Settled resources have no row, or
-- one without a time that only remembers their attempts; the indexes do not hold those.
CREATE TABLE due (
  kind      TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  due_at    INTEGER, -- milliseconds
  wake_at   INTEGER, -- a wake that came during the claim
  token     INTEGER, -- of the claim; NULL when there is none
  owner     TEXT,
  attempts  INTEGER NOT NULL,
  PRIMARY KEY (kind, namespace, name)
) STRICT; -- with row ids, which keep its two indexes narrow: every claim moves both

CREATE INDEX due_by_time ON due (kind, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX due_by_namespace ON due (kind, namespace, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE unique_name (
  scope            TEXT NOT NULL,
  name             TEXT NOT NULL,
  holder_kind      TEXT NOT NULL,
  holder_namespace TEXT NOT NULL,
  holder_name      TEXT NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX unique_name_by_holder ON unique_name (holder_kind, holder_namespace, holder_name);

CREATE TABLE counter_use (
  holder_kind      TEXT NOT NULL,
  holder_namespace TEXT NOT NULL,
  holder_name      TEXT NOT NULL,
  counter          TEXT NOT NULL,
  amount           INTEGER NOT NULL,
  PRIMARY KEY (holder_kind, holder_namespace, holder_name, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter_bound (
  counter          TEXT PRIMARY KEY,
  max              INTEGER NOT NULL,
  holder_kind      TEXT NOT NULL,
  holder_namespace TEXT NOT NULL,
  holder_name      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX counter_bound_by_holder ON counter_bound (holder_kind, holder_namespace, holder_name);

-- The sum of the uses of each counter that has any.
CREATE TABLE counter (
  counter TEXT PRIMARY KEY,
  value   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
