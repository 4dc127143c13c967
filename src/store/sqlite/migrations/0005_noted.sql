-- compatible_from: 3
-- The triggers of 0004 read the role behind the answers in the head, which are long after a large
-- batch. They look into an empty table instead: it has a row while the store is not a primary.
CREATE TABLE not_primary (one INTEGER PRIMARY KEY CHECK (one = 1)) STRICT;
INSERT INTO not_primary SELECT 1 FROM head WHERE role <> 'primary';

DROP TRIGGER name_taken;
DROP TRIGGER name_left;
DROP TRIGGER use_set;
DROP TRIGGER use_left;
DROP TRIGGER bound_set;
DROP TRIGGER bound_left;

CREATE TRIGGER name_taken AFTER INSERT ON unique_name
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'name', NEW.scope, NEW.name,
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, 1 FROM head;
END;

CREATE TRIGGER name_left AFTER DELETE ON unique_name
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'name', OLD.scope, OLD.name,
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;

-- Uses and bounds are replaced, which deletes the former row without a trigger.
CREATE TRIGGER use_set AFTER INSERT ON counter_use
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'use', NEW.counter, '',
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, NEW.amount FROM head;
END;

CREATE TRIGGER use_left AFTER DELETE ON counter_use
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'use', OLD.counter, '',
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;

CREATE TRIGGER bound_set AFTER INSERT ON counter_bound
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'bound', NEW.counter, '',
      NEW.holder_kind, NEW.holder_namespace, NEW.holder_name, NEW.max FROM head;
END;

CREATE TRIGGER bound_left AFTER DELETE ON counter_bound
WHEN NOT EXISTS (SELECT 1 FROM not_primary) BEGIN
  INSERT INTO held (after, what, scope, name, holder_kind, holder_namespace, holder_name, amount)
    SELECT revision, 'bound', OLD.counter, '',
      OLD.holder_kind, OLD.holder_namespace, OLD.holder_name, NULL FROM head;
END;
