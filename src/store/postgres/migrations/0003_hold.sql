-- Judges and applies what the writes of one group want to hold. p is one object per write of the
-- group: {i, deleted, kind, namespace, name, names: [[scope, label]], uses: [[counter, amount]],
-- bounds: [[counter, max]]}; a missing list leaves what is held as it is. Returns the refused
-- writes as {"i": {"code", "why"}}, or null after applying all.
--
-- What is let go counts before what is taken; keepers come before takers; among takers the earlier
-- write wins. Counters are lowered first, then each raise in order meets the final bound.
CREATE FUNCTION hold_v1(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  faults jsonb;
  element record;
BEGIN
  faults := hold_faults_v1(p);
  IF faults IS NOT NULL THEN RETURN faults; END IF;

  FOR element IN SELECT * FROM jsonb_to_recordset(p) AS x(deleted boolean, kind text,
      namespace text, name text, names jsonb, uses jsonb, bounds jsonb) LOOP
    IF element.deleted THEN
      PERFORM let_go_v1(ARRAY[element.kind], ARRAY[element.namespace], ARRAY[element.name]);
      CONTINUE;
    END IF;
    IF element.names IS NOT NULL THEN
      DELETE FROM unique_name n WHERE n.kind = element.kind
        AND n.namespace = element.namespace AND n.name = element.name;
    END IF;
    IF element.bounds IS NOT NULL THEN
      UPDATE counter c SET max = NULL, kind = NULL, namespace = NULL, name = NULL
        WHERE c.max IS NOT NULL AND c.kind = element.kind
        AND c.namespace = element.namespace AND c.name = element.name;
    END IF;
  END LOOP;

  FOR element IN SELECT * FROM jsonb_to_recordset(p) AS x(deleted boolean, kind text,
      namespace text, name text, names jsonb, uses jsonb, bounds jsonb) WHERE NOT deleted LOOP
    INSERT INTO unique_name (scope, label, kind, namespace, name)
      SELECT n ->> 0, n ->> 1, element.kind, element.namespace, element.name
      FROM jsonb_array_elements(element.names) n;
    INSERT INTO counter AS c (counter, value, max, kind, namespace, name)
      SELECT b ->> 0, 0, (b ->> 1)::bigint, element.kind, element.namespace, element.name
      FROM jsonb_array_elements(element.bounds) b
      ON CONFLICT (counter) DO UPDATE SET max = excluded.max, kind = excluded.kind,
        namespace = excluded.namespace, name = excluded.name;
    IF element.uses IS NOT NULL THEN
      PERFORM use_v1(element.kind, element.namespace, element.name, element.uses);
    END IF;
  END LOOP;
  DELETE FROM counter c WHERE c.value = 0 AND c.max IS NULL AND c.counter = ANY (ARRAY(
    SELECT b ->> 0 FROM jsonb_to_recordset(p) AS x(bounds jsonb),
      jsonb_array_elements(x.bounds) b));
  RETURN NULL;
END $$;

-- Replaces the uses of one resource.
CREATE FUNCTION use_v1(p_kind text, p_namespace text, p_name text, p_uses jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  counters text[];
  amounts bigint[];
BEGIN
  SELECT array_agg(counter), array_agg(-amount) INTO counters, amounts FROM usage u
    WHERE u.kind = p_kind AND u.namespace = p_namespace AND u.name = p_name;
  DELETE FROM usage u
    WHERE u.kind = p_kind AND u.namespace = p_namespace AND u.name = p_name;
  INSERT INTO usage (kind, namespace, name, counter, amount)
    SELECT p_kind, p_namespace, p_name, x ->> 0, (x ->> 1)::bigint
    FROM jsonb_array_elements(p_uses) x;
  SELECT counters || array_agg(x ->> 0), amounts || array_agg((x ->> 1)::bigint)
    INTO counters, amounts FROM jsonb_array_elements(p_uses) x;
  IF counters IS NOT NULL THEN PERFORM count_v1(counters, amounts); END IF;
END $$;

-- Who holds something, or null for nobody.
CREATE FUNCTION holder_v1(p_kind text, p_namespace text, p_name text) RETURNS jsonb LANGUAGE sql
IMMUTABLE AS $$
  SELECT CASE WHEN p_kind IS NOT NULL THEN
    jsonb_build_object('kind', p_kind, 'namespace', p_namespace, 'name', p_name) END
$$;

-- Codes: 15 a name or a bound is taken, 16 a counter would be exceeded.
CREATE FUNCTION hold_faults_v1(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN (WITH element AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p) AS x(i int, deleted boolean, kind text, namespace text,
      name text, names jsonb, uses jsonb, bounds jsonb)
  ), wanted_name AS (
    SELECT w.*, coalesce(u.kind = w.kind AND u.namespace = w.namespace AND u.name = w.name, false)
        AS keeps,
      u.kind IS NOT NULL AND NOT EXISTS (SELECT 1 FROM element e WHERE e.kind = u.kind
        AND e.namespace = u.namespace AND e.name = u.name
        AND (e.deleted OR e.names IS NOT NULL)) AS outside,
      holder_v1(u.kind, u.namespace, u.name) AS holder
    FROM (SELECT e.i, e.kind, e.namespace, e.name, n ->> 0 AS scope, n ->> 1 AS label
      FROM element e, jsonb_array_elements(e.names) n) w
    LEFT JOIN LATERAL (SELECT n.kind, n.namespace, n.name FROM unique_name n
      WHERE n.scope = w.scope AND n.label = w.label OFFSET 0) u ON true
  ), wanted_bound AS (
    SELECT w.*, coalesce(c.kind = w.kind AND c.namespace = w.namespace AND c.name = w.name, false)
        AS keeps,
      c.kind IS NOT NULL AND NOT EXISTS (SELECT 1 FROM element e WHERE e.kind = c.kind
        AND e.namespace = c.namespace AND e.name = c.name
        AND (e.deleted OR e.bounds IS NOT NULL)) AS outside,
      holder_v1(c.kind, c.namespace, c.name) AS holder
    FROM (SELECT e.i, e.kind, e.namespace, e.name, b ->> 0 AS counter, (b ->> 1)::bigint AS max
      FROM element e, jsonb_array_elements(e.bounds) b) w
    LEFT JOIN LATERAL (SELECT c.kind, c.namespace, c.name FROM counter c
      WHERE c.counter = w.counter AND c.max IS NOT NULL OFFSET 0) c ON true
  ), taken AS (
    SELECT i, why FROM (SELECT i, NOT keeps AND (outside OR row_number() OVER
      (PARTITION BY scope, label ORDER BY keeps DESC, i) > 1) AS bad,
      jsonb_build_object('scope', scope, 'name', label, 'holder', holder) AS why
      FROM wanted_name) n WHERE bad
    UNION ALL
    SELECT i, why FROM (SELECT i, NOT keeps AND (outside OR row_number() OVER
      (PARTITION BY counter ORDER BY keeps DESC, i) > 1) AS bad,
      jsonb_build_object('counter', counter, 'holder', holder) AS why
      FROM wanted_bound) b WHERE bad
  ), delta AS (
    SELECT i, counter, sum(amount) AS amount FROM (
      SELECT e.i, u ->> 0 AS counter, (u ->> 1)::bigint AS amount
      FROM element e, jsonb_array_elements(e.uses) u WHERE NOT e.deleted
      UNION ALL
      SELECT e.i, u.counter, -u.amount FROM element e CROSS JOIN LATERAL (SELECT n.counter, n.amount
        FROM usage n WHERE n.kind = e.kind AND n.namespace = e.namespace AND n.name = e.name
        OFFSET 0) u WHERE e.deleted OR e.uses IS NOT NULL
    ) d GROUP BY i, counter
  ), exceeded AS (
    SELECT r.i, jsonb_build_object('counter', r.counter, 'value', coalesce(c.value, 0) + r.reached,
      'max', coalesce(CASE WHEN c.stays THEN c.max END, b.max)) AS why FROM (
      SELECT d.i, d.counter, d.amount,
        sum(least(d.amount, 0)) OVER (PARTITION BY d.counter)
        + sum(greatest(d.amount, 0)) OVER (PARTITION BY d.counter ORDER BY d.i) AS reached
      FROM delta d) r
    LEFT JOIN LATERAL (SELECT c.value, c.max, c.kind, c.namespace, c.name,
        c.max IS NOT NULL AND NOT EXISTS (SELECT 1 FROM element e WHERE e.kind = c.kind
        AND e.namespace = c.namespace AND e.name = c.name) AS stays
      FROM counter c WHERE c.counter = r.counter OFFSET 0) c ON true
    -- As if all were applied, whatever else is wrong with them: the earliest write that sets or
    -- keeps the bound.
    LEFT JOIN LATERAL (SELECT x.max FROM (
        SELECT b.i, b.max FROM wanted_bound b WHERE b.counter = r.counter
        UNION ALL
        SELECT e.i, c.max FROM element e WHERE e.kind = c.kind AND e.namespace = c.namespace
          AND e.name = c.name AND NOT e.deleted AND e.bounds IS NULL) x
      ORDER BY x.i LIMIT 1) b ON true
    WHERE r.amount > 0 AND coalesce(c.value, 0) + r.reached > coalesce(
      CASE WHEN c.stays THEN c.max END, b.max)
  )
  SELECT jsonb_object_agg(f.i, f.fault) FROM (
    SELECT DISTINCT ON (i) i, jsonb_build_object('code', code, 'why', why) AS fault FROM (
      SELECT i, 15 AS code, why FROM taken UNION ALL SELECT i, 16, why FROM exceeded) a
    ORDER BY i, code) f);
END $$;
