-- compatible_from: 3
-- Replication (docs/decisions/0035-replication.md). Programs before this one still work: they name
-- the columns of head, and the triggers note what they write.
ALTER TABLE head ADD COLUMN role TEXT NOT NULL DEFAULT 'primary'; -- or secondary, or loading
ALTER TABLE head ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1;
-- How the primary is named to clients; only on a secondary.
ALTER TABLE head ADD COLUMN primary_name TEXT NOT NULL DEFAULT '';
-- No row of held above this was removed; on a secondary, the last one that it has stored.
ALTER TABLE head ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
-- Changes up to here came without rows of held: they cannot be shipped.
ALTER TABLE head ADD COLUMN ships_from INTEGER NOT NULL DEFAULT 0;
UPDATE head SET ships_from = revision;

-- What resources were let hold, and what they let go of, in the order of the commits. Names, uses
-- and bounds can change without a change of their resource, so they have a log of their own.
CREATE TABLE held (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  after            INTEGER NOT NULL, -- the head before the commit
  what             TEXT NOT NULL,    -- name, use, bound
  scope            TEXT NOT NULL,    -- of a name; the counter of a use or a bound
  name             TEXT NOT NULL,    -- of a name; otherwise empty
  holder_kind      TEXT NOT NULL,
  holder_namespace TEXT NOT NULL,
  holder_name      TEXT NOT NULL,
  amount           INTEGER           -- of a use, or the limit of a bound; NULL: it was let go
) STRICT;

CREATE TRIGGER name_taken AFTER INSERT ON unique_name
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'name', NEW.scope, NEW.name,
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, 1 FROM head;
END;

CREATE TRIGGER name_left AFTER DELETE ON unique_name
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'name', OLD.scope, OLD.name,
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;

-- Uses and bounds are replaced, which deletes the former row without a trigger.
CREATE TRIGGER use_set AFTER INSERT ON counter_use
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'use', NEW.counter, '',
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, NEW.amount FROM head;
END;

CREATE TRIGGER use_left AFTER DELETE ON counter_use
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'use', OLD.counter, '',
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;

CREATE TRIGGER bound_set AFTER INSERT ON counter_bound
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'bound', NEW.counter, '',
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, NEW.max FROM head;
END;

CREATE TRIGGER bound_left AFTER DELETE ON counter_bound
WHEN (SELECT role FROM head) = 'primary' BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'bound', OLD.counter, '',
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;
