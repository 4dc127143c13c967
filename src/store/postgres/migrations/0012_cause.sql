-- Every change records its cause: who wrote it, through which surface, and as part of which trace.
-- src/store/stored-cause.ts describes the bytes. Changes of older releases, and those that their processes
-- commit during an upgrade with commit_v3 and create_v1, have none.
--
-- The functions are those of 0008 and 0011 with one more parameter. p_cause has one entry for each
-- write; it is null for a write that makes no change.
ALTER TABLE change ADD COLUMN cause bytea;

-- As create_v1 (0011).
CREATE FUNCTION create_v2(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_kind text[], p_namespace text[], p_name text[], p_uid text[],
  p_digest bytea[], p_size int[], p_document text[], p_terms text[],
  p_due int[], p_due_after bigint[],
  p_take int[], p_take_scope text[], p_take_label text[], p_cause bytea[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_head bigint;
  v_now bigint;
  v_answer text;
  v_batch bigint;
  v_done boolean;
  v_count int := cardinality(p_kind);
  v_work boolean := false;
BEGIN
  v_done := pg_advisory_xact_lock(hashtextextended(current_schema(), 7370002)) IS NULL;
  SELECT h.revision, w.batch INTO v_head, v_batch
    FROM head h LEFT JOIN writer w ON w.id = p_writer WHERE h.one FOR UPDATE OF h;
  IF v_batch IS NULL THEN
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN (SELECT w.answer FROM writer w WHERE w.id = p_writer); END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;
  v_now := now_v1(p_skew_ms);
  BEGIN
    INSERT INTO resource (kind, namespace, name, revision, size, uid, digest, terms)
      SELECT p_kind[w.i], p_namespace[w.i], p_name[w.i], v_head + w.i, p_size[w.i], p_uid[w.i],
        p_digest[w.i], p_terms[w.i]::text[]
      FROM generate_series(1, v_count) AS w(i);
    IF cardinality(p_take) > 0 THEN
      INSERT INTO unique_name (scope, label, kind, namespace, name)
        SELECT p_take_scope[t.i], p_take_label[t.i], p_kind[p_take[t.i]],
          p_namespace[p_take[t.i]], p_name[p_take[t.i]]
        FROM generate_series(1, cardinality(p_take)) AS t(i);
    END IF;
    IF cardinality(p_due) > 0 THEN
      INSERT INTO due (kind, namespace, name, due_at)
        SELECT p_kind[p_due[d.i]], p_namespace[p_due[d.i]], p_name[p_due[d.i]],
          v_now + p_due_after[d.i]
        FROM generate_series(1, cardinality(p_due)) AS d(i);
      v_work := 600000 >= ANY (p_due_after);
    END IF;
  EXCEPTION WHEN unique_violation THEN
    UPDATE writer SET batch = p_batch, answer = NULL, at_ms = v_now WHERE id = p_writer;
    RETURN NULL;
  END;
  INSERT INTO change (revision, at_ms, type, kind, namespace, name, uid, terms, digest, document,
      cause)
    SELECT v_head + w.i, v_now, 1, p_kind[w.i], p_namespace[w.i], p_name[w.i], p_uid[w.i],
      p_terms[w.i]::text[], p_digest[w.i], p_document[w.i], p_cause[w.i]
    FROM generate_series(1, v_count) AS w(i);
  IF '{}' <> ANY (p_terms) THEN
    INSERT INTO term (kind, term, namespace, name)
      SELECT p_kind[w.i], n.term, p_namespace[w.i], p_name[w.i]
      FROM generate_series(1, v_count) AS w(i)
      CROSS JOIN LATERAL unnest(p_terms[w.i]::text[]) AS n(term)
      ON CONFLICT DO NOTHING;
  END IF;
  UPDATE head SET revision = v_head + v_count WHERE one;
  v_done := pg_notify(current_schema(),
    concat_ws(' ', p_writer, v_head + v_count, v_work::int)) IS NULL;
  v_answer := json_build_object('first', v_head, 'at', v_now, 'work', v_work);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;

-- As commit_v3 (0008).
CREATE FUNCTION commit_v4(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_run_end int[], p_group int[], p_op smallint[],
  p_kind text[], p_namespace text[], p_name text[], p_uid text[],
  p_when smallint[], p_when_revision bigint[], p_when_uid text[],
  p_digest bytea[], p_size int[], p_document text[], p_sealed bytea[], p_terms text[],
  p_lock_kind text[], p_lock_namespace text[], p_lock_name text[],
  p_fence_lock int[], p_fence_token bigint[],
  p_due int[], p_due_lock int[], p_due_release boolean[], p_due_after bigint[],
  p_due_reset boolean[],
  p_take int[], p_take_scope text[], p_take_label text[],
  p_held jsonb, p_cause bytea[]
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_head bigint;
  v_first bigint;
  v_now bigint;
  v_answer text;
  v_batch bigint;
  v_done boolean;
  -- The due rows of the locked keys, as they were.
  v_due_row tid[];
  v_due_at bigint[];
  v_wake_at bigint[];
  v_token bigint[];
  v_attempts int[];
  -- The run from v_from to v_to, which begins after v_skip writes.
  v_skip int := 0;
  v_from int;
  v_to int;
  v_taken int[];
  v_held jsonb;
  v_faults jsonb;
  v_why jsonb := '{}';
  v_work boolean := false;
  v_news int;
  -- Of the run: the code and the new revision of each write, and what is stored now.
  v_code smallint[];
  v_rev bigint[];
  v_old bigint[];
  v_at tid[];
  v_differ text[];
  v_codes smallint[] := '{}';
  v_revs bigint[] := '{}';
  v_olds bigint[] := '{}';
  v_differs text[] := '{}';
  v_replaced json;
BEGIN
  -- Waiting in line costs less at an advisory lock than at a row that changes; the row's own lock
  -- is what keeps commits apart.
  v_done := pg_advisory_xact_lock(hashtextextended(current_schema(), 7370002)) IS NULL;
  SELECT h.revision, w.batch INTO v_head, v_batch
    FROM head h LEFT JOIN writer w ON w.id = p_writer WHERE h.one FOR UPDATE OF h;
  v_first := v_head;
  IF v_batch IS NULL THEN
    -- Closed or swept: what comes now was given up long ago, and may have been applied.
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN (SELECT w.answer FROM writer w WHERE w.id = p_writer); END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;

  IF cardinality(p_lock_kind) > 0 THEN
    SELECT array_agg(d.at), array_agg(d.due_at), array_agg(d.wake_at), array_agg(d.token),
        array_agg(d.attempts)
      INTO v_due_row, v_due_at, v_wake_at, v_token, v_attempts
      FROM generate_series(1, cardinality(p_lock_kind)) AS k(i)
      LEFT JOIN LATERAL (SELECT q.ctid AS at, q.due_at, q.wake_at, q.token, q.attempts
        FROM due q WHERE q.kind = p_lock_kind[k.i] AND q.namespace = p_lock_namespace[k.i]
          AND q.name = p_lock_name[k.i] FOR UPDATE) d ON true;
  END IF;
  v_now := now_v1(p_skew_ms);

  FOREACH v_to IN ARRAY p_run_end LOOP
    v_from := v_skip + 1;
    IF cardinality(p_take) > 0 THEN
      SELECT array_agg(t.i) INTO v_taken FROM unnest(p_take, p_take_scope, p_take_label)
          AS t(i, scope, label)
        CROSS JOIN LATERAL (SELECT 1 FROM unique_name n WHERE n.scope = t.scope
          AND n.label = t.label OFFSET 0) u WHERE t.i BETWEEN v_from AND v_to;
    END IF;
    -- Judge each write alone, and number them as if each changed something.
    SELECT array_agg(CASE
          WHEN p_fence_lock[w.i] > 0 AND (v_token[p_fence_lock[w.i]] = p_fence_token[w.i]
            AND v_due_at[p_fence_lock[w.i]] > v_now) IS NOT TRUE THEN 14
          WHEN p_when[w.i] = 0 THEN CASE WHEN r.revision IS NOT NULL THEN 10
            WHEN w.i = ANY (v_taken) THEN 15 ELSE 0 END
          WHEN r.revision IS NULL THEN 11
          WHEN p_when[w.i] = 1 AND r.revision <> p_when_revision[w.i] THEN 12
          WHEN p_when_uid[w.i] <> r.uid OR p_op[w.i] = 1 AND p_uid[w.i] <> r.uid THEN 12
          WHEN p_op[w.i] = 3 OR p_op[w.i] = 1 AND p_digest[w.i] = r.digest
            AND p_terms[w.i]::text[] = r.terms THEN 1
          ELSE 0 END::smallint),
        array_agg(v_head + w.i - v_skip), array_agg(r.revision), array_agg(r.at),
        array_agg(CASE WHEN p_digest[w.i] IS NOT NULL AND r.terms <> p_terms[w.i]::text[]
          THEN r.terms::text END)
      INTO v_code, v_rev, v_old, v_at, v_differ
      FROM generate_series(v_from, v_to) AS w(i)
      LEFT JOIN LATERAL (SELECT q.ctid AS at, q.revision, q.uid, q.digest, q.terms FROM resource q
        WHERE q.kind = p_kind[w.i] AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i]
        OFFSET 0) r ON true;
    v_news := cardinality(array_positions(v_code, 0::smallint));
    -- Then each group as a whole, and number those that do change something.
    IF v_news = 0 AND 10 > ALL (v_code) THEN
      v_rev := array_fill(NULL::bigint, ARRAY[v_to - v_skip]);
    ELSIF v_news < v_to - v_skip THEN
      SELECT array_agg(z.code), array_agg(CASE WHEN z.code = 0 THEN v_head + z.n END)
        INTO v_code, v_rev
        FROM (
          SELECT y.code, count(*) FILTER (WHERE y.code = 0) OVER (ORDER BY y.i) AS n FROM (
            SELECT x.i, CASE WHEN x.code < 10 AND bool_or(x.code >= 10) OVER (PARTITION BY x.grp)
                -- What a write wants to hold is only judged when each write alone is right.
                OR x.code = 15 AND bool_or(x.code BETWEEN 10 AND 14) OVER (PARTITION BY x.grp)
              THEN 20 ELSE x.code END::smallint AS code
            FROM (SELECT w.i, p_group[w.i] AS grp, v_code[w.i - v_skip] AS code
              FROM generate_series(v_from, v_to) AS w(i)) x
          ) y ORDER BY y.i
        ) z;
      v_news := cardinality(array_positions(v_code, 0::smallint));
    END IF;

    IF v_taken IS NOT NULL THEN
      v_why := v_why || coalesce((SELECT jsonb_object_agg(t.i, jsonb_build_object('why',
          jsonb_build_object('scope', t.scope, 'name', t.label,
            'holder', holder_v1(u.kind, u.namespace, u.name))))
        FROM unnest(p_take, p_take_scope, p_take_label) AS t(i, scope, label)
        CROSS JOIN LATERAL (SELECT n.kind, n.namespace, n.name FROM unique_name n
          WHERE n.scope = t.scope AND n.label = t.label OFFSET 0) u
        WHERE t.i BETWEEN v_from AND v_to AND v_code[t.i - v_skip] = 15), '{}');
    END IF;
    v_held := NULL;
    IF p_held IS NOT NULL THEN
      SELECT jsonb_agg(e) INTO v_held FROM jsonb_array_elements(p_held) e
        WHERE (e ->> 'i')::int BETWEEN v_from AND v_to;
    END IF;
    IF v_held IS NOT NULL AND 10 > ALL (v_code) THEN
      v_faults := hold_v1(v_held);
      IF v_faults IS NOT NULL THEN
        v_news := 0;
        v_why := v_why || v_faults;
        SELECT array_agg(coalesce((v_faults -> i::text ->> 'code')::smallint, 20)), array_agg(NULL::bigint)
          INTO v_code, v_rev FROM generate_series(v_from, v_to) i;
      END IF;
    END IF;

    IF v_news > 0 THEN
      IF 1 = ANY (p_op) THEN
        INSERT INTO change (revision, previous, at_ms, type, kind, namespace, name, uid, terms,
            digest, document, sealed, cause)
          SELECT v_rev[w.i - v_skip], v_old[w.i - v_skip], v_now,
            CASE WHEN v_old[w.i - v_skip] IS NULL THEN 1 ELSE 2 END, p_kind[w.i],
            p_namespace[w.i], p_name[w.i], p_uid[w.i], p_terms[w.i]::text[], p_digest[w.i],
            p_document[w.i], p_sealed[w.i], p_cause[w.i]
          FROM generate_series(v_from, v_to) AS w(i)
          WHERE v_rev[w.i - v_skip] IS NOT NULL AND p_op[w.i] = 1;
        IF array_position(v_old, NULL) IS NOT NULL THEN
          INSERT INTO resource (kind, namespace, name, revision, size, uid, digest, terms)
            SELECT p_kind[w.i], p_namespace[w.i], p_name[w.i], v_rev[w.i - v_skip], p_size[w.i],
              p_uid[w.i], p_digest[w.i], p_terms[w.i]::text[]
            FROM generate_series(v_from, v_to) AS w(i) WHERE v_rev[w.i - v_skip] IS NOT NULL
              AND v_old[w.i - v_skip] IS NULL AND p_op[w.i] = 1;
        END IF;
        IF array_remove(v_old, NULL) <> '{}' THEN
          UPDATE resource r SET revision = v_rev[w.i - v_skip], size = p_size[w.i],
              digest = p_digest[w.i], terms = CASE WHEN v_differ[w.i - v_skip] IS NULL
                THEN r.terms ELSE p_terms[w.i]::text[] END
            FROM generate_series(v_from, v_to) AS w(i) WHERE r.ctid = v_at[w.i - v_skip]
              AND v_rev[w.i - v_skip] IS NOT NULL AND p_op[w.i] = 1;
        END IF;
        IF cardinality(p_take) > 0 THEN
          INSERT INTO unique_name (scope, label, kind, namespace, name)
            SELECT t.scope, t.label, p_kind[t.i], p_namespace[t.i], p_name[t.i]
            FROM unnest(p_take, p_take_scope, p_take_label) AS t(i, scope, label)
            WHERE t.i BETWEEN v_from AND v_to AND v_rev[t.i - v_skip] IS NOT NULL;
        END IF;
      END IF;
      IF array_remove(v_differ, NULL) <> '{}'
          OR array_position(v_old, NULL) IS NOT NULL AND '{}' <> ANY (p_terms) THEN
        v_done := reterm_v3(v_from, v_to, v_rev, v_old, v_differ, p_op, p_kind, p_namespace,
          p_name, p_terms);
      END IF;
      IF 2 = ANY (p_op) THEN
        v_done := remove_v4(v_now, v_from, v_to, v_rev, v_at, p_op, p_kind, p_namespace, p_name,
          p_terms, p_digest, p_document, p_sealed, p_cause);
      END IF;
      v_head := v_head + v_news;
    END IF;
    v_codes := v_codes || v_code;
    v_revs := v_revs || v_rev;
    v_olds := v_olds || v_old;
    v_differs := v_differs || v_differ;
    v_skip := v_to;
  END LOOP;

  IF cardinality(p_due) > 0 THEN
    v_work := plan_v3(v_now, v_codes, p_due, p_due_lock, p_due_release, p_due_after, p_due_reset,
      p_lock_kind, p_lock_namespace, p_lock_name, v_due_row, v_due_at, v_wake_at, v_token,
      v_attempts);
  END IF;
  IF v_head > v_first THEN UPDATE head SET revision = v_head WHERE one; END IF;
  IF v_head > v_first OR v_work THEN
    v_done := pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, v_work::int)) IS NULL;
  END IF;
  IF array_remove(v_differs, NULL) <> '{}' THEN
    SELECT json_agg(to_json(t::text[])) INTO v_replaced FROM unnest(v_differs) t;
  END IF;
  v_answer := json_build_object('head', v_head, 'at', v_now, 'work', v_work, 'c', v_codes,
    'r', v_revs, 'p', v_olds, 'why', v_why, 't', v_replaced);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;

-- As remove_v3 (0008).
CREATE FUNCTION remove_v4(p_now bigint, p_from int, p_to int, p_rev bigint[], p_at tid[],
  p_op smallint[], p_kind text[], p_namespace text[], p_name text[], p_terms text[],
  p_digest bytea[], p_document text[], p_sealed bytea[], p_cause bytea[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_kind text[];
  v_namespace text[];
  v_name text[];
  v_rows tid[];
  v_work tid[];
  v_terms tid[];
BEGIN
  INSERT INTO change (revision, previous, at_ms, type, kind, namespace, name, uid, terms, digest,
      document, sealed, cause)
    SELECT p_rev[w.i - p_from + 1], r.revision, p_now, 3, r.kind, r.namespace, r.name, r.uid,
      CASE WHEN p_digest[w.i] IS NULL THEN r.terms ELSE p_terms[w.i]::text[] END,
      coalesce(p_digest[w.i], r.digest), p_document[w.i], p_sealed[w.i],
      p_cause[w.i]
    FROM generate_series(p_from, p_to) AS w(i)
    CROSS JOIN LATERAL (SELECT * FROM resource q WHERE q.ctid = p_at[w.i - p_from + 1] OFFSET 0) r
    WHERE p_rev[w.i - p_from + 1] IS NOT NULL AND p_op[w.i] = 2;
  SELECT array_agg(p_kind[w.i]), array_agg(p_namespace[w.i]), array_agg(p_name[w.i]),
      array_agg(p_at[w.i - p_from + 1]), array_agg(d.at) FILTER (WHERE d.at IS NOT NULL)
    INTO v_kind, v_namespace, v_name, v_rows, v_work
    FROM generate_series(p_from, p_to) AS w(i)
    LEFT JOIN LATERAL (SELECT q.ctid AS at FROM due q WHERE q.kind = p_kind[w.i]
      AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i] OFFSET 0) d ON true
    WHERE p_rev[w.i - p_from + 1] IS NOT NULL AND p_op[w.i] = 2;
  IF v_rows IS NULL THEN RETURN false; END IF;
  SELECT array_agg(t.at) INTO v_terms
    FROM (SELECT r.kind, r.namespace, r.name, n.term FROM unnest(v_rows) AS o(at)
      CROSS JOIN LATERAL (SELECT * FROM resource q WHERE q.ctid = o.at OFFSET 0) r
      CROSS JOIN LATERAL unnest(r.terms) AS n(term) OFFSET 0) o
    CROSS JOIN LATERAL (SELECT q.ctid AS at FROM term q WHERE q.kind = o.kind AND q.term = o.term
      AND q.namespace = o.namespace AND q.name = o.name OFFSET 0) t;
  IF v_terms IS NOT NULL THEN DELETE FROM term WHERE ctid = ANY (v_terms); END IF;
  IF v_work IS NOT NULL THEN DELETE FROM due WHERE ctid = ANY (v_work); END IF;
  DELETE FROM resource WHERE ctid = ANY (v_rows);
  PERFORM let_go_v1(v_kind, v_namespace, v_name);
  RETURN true;
END $$;
