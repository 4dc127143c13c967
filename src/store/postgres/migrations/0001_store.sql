-- The tables of the store (ADR 2). One append-only log of changes and indexes over it. Every text
-- has collation "C", so that order means code points, in every database and for every client.

-- The one row that is locked for the length of a commit; revisions are numbered from it.
CREATE TABLE head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  revision bigint NOT NULL,
  compacted bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO head (revision, compacted) VALUES (0, 0);

-- How far the removal of superseded changes has come; it trails head.compacted.
CREATE TABLE compaction (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  done bigint NOT NULL
);
INSERT INTO compaction (done) VALUES (0);

CREATE TABLE change (
  revision bigint PRIMARY KEY,
  -- The change this one replaced; null for a creation.
  previous bigint,
  at_ms bigint NOT NULL,
  -- 1 created, 2 updated, 3 deleted
  type smallint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  terms text[] COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  -- Null for a deletion that shows the document of the change it replaced.
  document text COLLATE "C",
  sealed bytea
);
CREATE INDEX change_deletion ON change (kind, namespace, name, revision) WHERE type = 3;
CREATE INDEX change_sealed ON change (revision) WHERE sealed IS NOT NULL;

-- The newest change of each key that exists. Narrow, with room for updates in place.
CREATE TABLE resource (
  kind text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  -- Bytes of the document and its envelope, so that pages are bounded before documents are read.
  size int NOT NULL,
  uid text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  terms text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, namespace, name)
) WITH (fillfactor = 80);

CREATE TABLE term (
  kind text COLLATE "C" NOT NULL,
  term text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, term, namespace, name)
);

-- Who wants work. due_at is the end of the lease while a claim is live, so an expired claim is
-- simply due; it is null for a settled resource whose attempts are kept.
CREATE TABLE due (
  kind text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  due_at bigint,
  wake_at bigint,
  token bigint,
  attempts integer NOT NULL DEFAULT 0,
  owner text COLLATE "C",
  PRIMARY KEY (kind, namespace, name)
);
-- The predicates hold for every row that is due at all. They keep a planner that knows nothing yet
-- about the table from taking these indexes for a lookup by key, or one of them for the other: a
-- statement that wants one repeats its predicate.
CREATE INDEX due_order ON due (kind, due_at) WHERE due_at > -1;
CREATE INDEX due_turns ON due (kind, namespace, due_at) WHERE namespace >= '';
-- Tokens only grow, also after a crash, which is why none may be cached by a session.
CREATE SEQUENCE claim_token CACHE 1;

CREATE TABLE unique_name (
  scope text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (scope, label)
);
CREATE INDEX unique_name_holder ON unique_name (kind, namespace, name);

CREATE TABLE usage (
  kind text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  counter text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (kind, namespace, name, counter)
);

-- The sum of the uses of each counter, and who bounds it.
CREATE TABLE counter (
  counter text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL,
  max bigint,
  kind text COLLATE "C",
  namespace text COLLATE "C",
  name text COLLATE "C"
) WITH (fillfactor = 70);
CREATE INDEX counter_holder ON counter (kind, namespace, name) WHERE max IS NOT NULL;

-- The last batch of every open store and its answer: a batch sent again is answered from here. A
-- writer registers its row before its first batch; without the row every batch is refused.
CREATE TABLE writer (
  id text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL,
  answer text,
  at_ms bigint NOT NULL
) WITH (fillfactor = 30);
ALTER TABLE writer ALTER COLUMN answer SET STORAGE MAIN;
