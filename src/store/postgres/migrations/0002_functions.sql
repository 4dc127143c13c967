-- The statements that must be one round trip. Each is VOLATILE, so every statement inside sees what
-- was committed before it began, in particular after the lock on the head was granted. Names carry
-- a version: a newer release adds commit_v2 while older processes still call commit_v1.
--
-- Plans are kept by a session until a table is analysed, often from a time when it was empty. So
-- that none can turn into a scan of a table, joins go from the arrays outwards: a lateral subquery
-- with OFFSET 0 is planned on its own, after what it refers to, with its whole key in the index
-- condition. Without it a condition on the result makes an inner join of a left one, and the
-- planner is free to begin with the table. Rows found are changed by ctid, which holds while the
-- head is locked.

-- The database's clock. The skew is zero outside of tests.
CREATE FUNCTION now_v1(skew_ms bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(date_part('epoch', clock_timestamp()) * 1000)::bigint + skew_ms
$$;

-- Lets go of what deleted resources held: names, uses, bounds.
CREATE FUNCTION let_go_v1(kinds text[], namespaces text[], names text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  rows_found tid[];
  counters text[];
  amounts bigint[];
BEGIN
  SELECT array_agg(u.at) INTO rows_found
    FROM unnest(kinds, namespaces, names) AS k(kind, namespace, name)
    LEFT JOIN LATERAL (SELECT n.ctid AS at FROM unique_name n WHERE n.kind = k.kind
      AND n.namespace = k.namespace AND n.name = k.name OFFSET 0) u ON true
    WHERE u.at IS NOT NULL;
  IF rows_found IS NOT NULL THEN DELETE FROM unique_name WHERE ctid = ANY (rows_found); END IF;

  SELECT array_agg(u.at), array_agg(u.counter), array_agg(u.amount)
    INTO rows_found, counters, amounts
    FROM unnest(kinds, namespaces, names) AS k(kind, namespace, name)
    LEFT JOIN LATERAL (SELECT n.ctid AS at, n.counter, n.amount FROM usage n WHERE n.kind = k.kind
      AND n.namespace = k.namespace AND n.name = k.name OFFSET 0) u ON true
    WHERE u.at IS NOT NULL;
  IF rows_found IS NOT NULL THEN
    DELETE FROM usage WHERE ctid = ANY (rows_found);
    PERFORM count_v1(counters, ARRAY(SELECT -a FROM unnest(amounts) a));
  END IF;

  SELECT array_agg(u.at), array_agg(u.counter) INTO rows_found, counters
    FROM unnest(kinds, namespaces, names) AS k(kind, namespace, name)
    LEFT JOIN LATERAL (SELECT n.ctid AS at, n.counter FROM counter n WHERE n.max IS NOT NULL
      AND n.kind = k.kind AND n.namespace = k.namespace AND n.name = k.name OFFSET 0) u ON true
    WHERE u.at IS NOT NULL;
  IF rows_found IS NOT NULL THEN
    UPDATE counter SET max = NULL, kind = NULL, namespace = NULL, name = NULL
      WHERE ctid = ANY (rows_found);
    PERFORM count_v1(counters, ARRAY(SELECT 0::bigint FROM unnest(counters)));
  END IF;
END $$;

-- Adds to counters, and forgets those that neither count nor bound anything.
CREATE FUNCTION count_v1(counters text[], amounts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counter AS c (counter, value)
    SELECT x.counter, sum(x.amount) FROM unnest(counters, amounts) AS x(counter, amount)
    GROUP BY x.counter
    ON CONFLICT (counter) DO UPDATE SET value = c.value + excluded.value;
  DELETE FROM counter WHERE counter = ANY (counters) AND value = 0 AND max IS NULL;
END $$;
