-- compatible_from: 2
-- What is claimed leaves the indexes of what waits, and has one of its own by the end of its lease.
-- A claim then takes its rows out of two indexes and puts them into one, where it had moved them in
-- both: a claim of a hundred writes 17 pages and not 21. Programs before this one name the indexes
-- in their statements with other conditions and cannot use these.
DROP INDEX due_by_time;
DROP INDEX due_by_namespace;

CREATE INDEX due_by_time ON due (kind, due_at) WHERE due_at IS NOT NULL AND token IS NULL;
CREATE INDEX due_by_namespace ON due (kind, namespace, due_at)
  WHERE due_at IS NOT NULL AND token IS NULL;
-- Claims whose lease has ended are here too, until the next claim of their kind makes them wait.
CREATE INDEX due_claimed ON due (kind, due_at) WHERE token IS NOT NULL;
