-- Commits, claims and releases of fewer and smaller statements; a claim brings its document along.
-- As commit_v2, claim_v2 (0006) and release_v1 (0007), which stay for processes of the release before,
-- but whatever is found by a key is kept, and changed where it is instead of being found again.
--
-- Most of a small batch is the start of its statements, so there are few of them, and each is small:
-- arrays are read by their index, which costs nothing in a function (they are held unpacked), where
-- `unnest` of ten arrays is ten functions to set up; and an assignment of a plain expression is no
-- statement at all, which is why `IS NULL` stands behind functions that are called for their effect.
--
-- Parameters as for commit_v2, but fences are as long as the batch, with 0 for none, or empty.
-- Creations that take names which no other write of the batch takes are judged with all others
-- (p_take_*); whatever else wants to hold something is in p_held, each group in a run of its own.

CREATE FUNCTION commit_v3(
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
  p_held jsonb
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
            digest, document, sealed)
          SELECT v_rev[w.i - v_skip], v_old[w.i - v_skip], v_now,
            CASE WHEN v_old[w.i - v_skip] IS NULL THEN 1 ELSE 2 END, p_kind[w.i],
            p_namespace[w.i], p_name[w.i], p_uid[w.i], p_terms[w.i]::text[], p_digest[w.i],
            p_document[w.i], p_sealed[w.i]
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
        v_done := remove_v3(v_now, v_from, v_to, v_rev, v_at, p_op, p_kind, p_namespace, p_name,
          p_terms, p_digest, p_document, p_sealed);
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

-- Brings the term index in line with the new terms of the puts of a run. Old terms are null where
-- they are the same.
CREATE FUNCTION reterm_v3(p_from int, p_to int, p_rev bigint[], p_old bigint[], p_differ text[],
  p_op smallint[], p_kind text[], p_namespace text[], p_name text[], p_terms text[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_gone tid[];
BEGIN
  IF array_remove(p_differ, NULL) <> '{}' THEN
    SELECT array_agg(t.at) INTO v_gone
      FROM (SELECT w.i, n.term FROM generate_series(p_from, p_to) AS w(i)
        CROSS JOIN LATERAL unnest(p_differ[w.i - p_from + 1]::text[]) AS n(term)
        WHERE p_rev[w.i - p_from + 1] IS NOT NULL AND p_op[w.i] = 1
          AND n.term <> ALL (p_terms[w.i]::text[]) OFFSET 0) o
      CROSS JOIN LATERAL (SELECT q.ctid AS at FROM term q WHERE q.kind = p_kind[o.i]
        AND q.term = o.term AND q.namespace = p_namespace[o.i] AND q.name = p_name[o.i]
        OFFSET 0) t;
    IF v_gone IS NOT NULL THEN DELETE FROM term WHERE ctid = ANY (v_gone); END IF;
  END IF;
  INSERT INTO term (kind, term, namespace, name)
    SELECT p_kind[w.i], n.term, p_namespace[w.i], p_name[w.i]
    FROM generate_series(p_from, p_to) AS w(i)
    CROSS JOIN LATERAL unnest(p_terms[w.i]::text[]) AS n(term)
    WHERE p_rev[w.i - p_from + 1] IS NOT NULL AND p_op[w.i] = 1
      AND (p_old[w.i - p_from + 1] IS NULL OR p_differ[w.i - p_from + 1] IS NOT NULL
        AND n.term <> ALL (p_differ[w.i - p_from + 1]::text[]))
    ON CONFLICT DO NOTHING;
  RETURN true;
END $$;

-- The deletions of a run, and what hangs on the deleted resources.
CREATE FUNCTION remove_v3(p_now bigint, p_from int, p_to int, p_rev bigint[], p_at tid[],
  p_op smallint[], p_kind text[], p_namespace text[], p_name text[], p_terms text[],
  p_digest bytea[], p_document text[], p_sealed bytea[]
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
      document, sealed)
    SELECT p_rev[w.i - p_from + 1], r.revision, p_now, 3, r.kind, r.namespace, r.name, r.uid,
      CASE WHEN p_digest[w.i] IS NULL THEN r.terms ELSE p_terms[w.i]::text[] END,
      coalesce(p_digest[w.i], r.digest), p_document[w.i], p_sealed[w.i]
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

-- Wakes and releases of the accepted writes; says whether something is due sooner than before and
-- within limits.workHorizonMs: who waits for work looks more often than that by itself. The rows are
-- locked and no other commit runs, so what was read of them still holds, and the ones that were not
-- there are still missing.
CREATE FUNCTION plan_v3(p_now bigint, p_codes smallint[], p_due int[], p_lock int[],
  p_release boolean[], p_after bigint[], p_reset boolean[],
  p_kind text[], p_namespace text[], p_name text[], p_row tid[], p_due_at bigint[],
  p_wake_at bigint[], p_token bigint[], p_attempts int[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_due_at bigint[];
  v_wake_at bigint[];
  v_attempts int[];
  -- What becomes of each row: 1 changed, 2 made, 3 removed, 0 nothing.
  v_fate int[];
  v_work boolean;
BEGIN
  SELECT array_agg(n.due_at), array_agg(n.wake_at), array_agg(n.attempts),
      array_agg(CASE WHEN n.is_refused THEN 0
        WHEN n.due_at IS NULL AND n.attempts = 0 THEN 3 WHEN n.at IS NULL THEN 2
        -- A wake of what is due already changes nothing.
        WHEN n.release OR n.due_at IS DISTINCT FROM n.was_due_at
          OR n.wake_at IS DISTINCT FROM n.was_wake_at THEN 1 ELSE 0 END),
      bool_or(NOT n.is_refused AND (NOT n.live OR n.release) AND n.due_at <= p_now + 600000)
    INTO v_due_at, v_wake_at, v_attempts, v_fate, v_work
    FROM (
      SELECT d.*, CASE WHEN d.release THEN least(p_now + d.after, d.was_wake_at)
          WHEN d.live THEN d.was_due_at ELSE least(d.was_due_at, p_now + d.after) END AS due_at,
        CASE WHEN d.live AND NOT d.release THEN least(d.was_wake_at, p_now + d.after) END
          AS wake_at
      FROM (
        SELECT p_codes[p_due[w.i]] >= 10 AS is_refused, p_row[p_lock[w.i]] AS at,
          p_due_at[p_lock[w.i]] AS was_due_at, p_wake_at[p_lock[w.i]] AS was_wake_at,
          p_release[w.i] AS release, p_after[w.i] AS after,
          CASE WHEN p_reset[w.i] THEN 0 ELSE coalesce(p_attempts[p_lock[w.i]], 0) END AS attempts,
          coalesce(p_token[p_lock[w.i]] IS NOT NULL AND p_due_at[p_lock[w.i]] > p_now, false)
            AS live
        FROM generate_series(1, cardinality(p_due)) AS w(i)
      ) d
    ) n;
  IF 1 = ANY (v_fate) THEN
    UPDATE due d SET due_at = v_due_at[w.i], wake_at = v_wake_at[w.i],
        token = CASE WHEN NOT p_release[w.i] THEN d.token END,
        owner = CASE WHEN NOT p_release[w.i] THEN d.owner END, attempts = v_attempts[w.i]
      FROM generate_series(1, cardinality(p_due)) AS w(i)
      WHERE d.ctid = p_row[p_lock[w.i]] AND v_fate[w.i] = 1;
  END IF;
  IF 2 = ANY (v_fate) THEN
    INSERT INTO due (kind, namespace, name, due_at)
      SELECT p_kind[p_lock[w.i]], p_namespace[p_lock[w.i]], p_name[p_lock[w.i]], v_due_at[w.i]
      FROM generate_series(1, cardinality(p_due)) AS w(i) WHERE v_fate[w.i] = 2;
  END IF;
  IF 3 = ANY (v_fate) THEN
    DELETE FROM due WHERE ctid = ANY (ARRAY(SELECT p_row[p_lock[w.i]]
      FROM generate_series(1, cardinality(p_due)) AS w(i) WHERE v_fate[w.i] = 3));
  END IF;
  RETURN coalesce(v_work, false);
END $$;

-- The statement that hands out due work; see 0005 for how it chooses. The resource is read after its
-- row of work is locked, by a statement of its own: whoever wakes it holds that row until the change
-- can be seen, so what is read is what the wakes that this claim uses up were about. The document
-- comes along, unless it is one of those from p_known_from to p_known_to, which the caller has.
CREATE FUNCTION claim_v3(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_known_from bigint,
  p_known_to bigint, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, expires_at bigint,
  due_at bigint, attempts int, turn text, revision bigint, uid text, document varchar,
  sealed bytea) LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := now_v1(p_skew_ms);
  -- The namespaces of what is due, as far as it can be given.
  v_found text[];
  v_fits boolean;
  v_turns text[];
  v_share int;
  v_rows tid[];
  v_due_at bigint[];
BEGIN
  v_found := ARRAY(SELECT q.namespace FROM unnest(p_kinds) AS k(kind)
    CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
      AND d.due_at > -1 AND d.due_at <= v_now ORDER BY d.due_at LIMIT p_limit + 1) q
    LIMIT p_limit + 1);
  v_fits := cardinality(v_found) <= p_limit AND NOT v_found && p_skip;
  IF v_fits AND cardinality(v_found) > p_per_namespace THEN
    SELECT bool_and(s.n <= p_per_namespace) INTO v_fits
      FROM (SELECT count(*) AS n FROM unnest(v_found) AS f(namespace) GROUP BY f.namespace) s;
  END IF;
  IF v_fits THEN
    SELECT array_agg(o.at), array_agg(o.due_at) INTO v_rows, v_due_at
      FROM (SELECT q.at, q.due_at FROM unnest(p_kinds) AS k(kind)
        CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at FROM due d WHERE d.kind = k.kind
          AND d.due_at > -1 AND d.due_at <= v_now AND d.namespace <> ALL (p_skip)
          ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED) q LIMIT p_limit) o;
  ELSE
    SELECT t.p_turns, t.p_last INTO v_turns, p_cursor
      FROM turns_v2(p_kinds, p_limit, p_skip, p_cursor, p_visits, v_now) t;
    v_share := greatest(1, ceil(p_limit::numeric / greatest(cardinality(v_turns), 1)));
    SELECT t.p_rows, t.p_due_at INTO v_rows, v_due_at
      FROM take_v2(p_kinds, v_turns, least(v_share, p_per_namespace), p_limit, v_now) t;
    IF coalesce(cardinality(v_rows), 0) < p_limit
        AND v_share < coalesce(p_per_namespace, p_limit) THEN
      SELECT t.p_rows, t.p_due_at INTO v_rows, v_due_at
        FROM take_v2(p_kinds, v_turns, least(p_limit, p_per_namespace), p_limit, v_now) t;
    END IF;
  END IF;
  IF v_rows IS NULL THEN
    turn := p_cursor;
    RETURN NEXT;
    RETURN;
  END IF;
  RETURN QUERY WITH taken AS (
    UPDATE due d SET due_at = v_now + p_lease_ms, wake_at = NULL, token = nextval('claim_token'),
        owner = p_owner, attempts = d.attempts + 1
      FROM unnest(v_rows, v_due_at) AS o(at, due_at) WHERE d.ctid = o.at
      RETURNING d.kind, d.namespace, d.name, d.token, d.due_at AS expires_at, o.due_at, d.attempts)
    SELECT t.*, p_cursor, r.revision, r.uid, c.document::varchar, c.sealed FROM taken t
    LEFT JOIN LATERAL (SELECT q.uid, q.revision FROM resource q WHERE q.kind = t.kind
      AND q.namespace = t.namespace AND q.name = t.name OFFSET 0) r ON true
    LEFT JOIN LATERAL (SELECT q.document, q.sealed FROM change q WHERE q.revision =
      CASE WHEN r.revision NOT BETWEEN p_known_from AND p_known_to THEN r.revision END
      OFFSET 0) c ON true;
END $$;

-- As turns_v1 (0005), but each namespace is judged once, and what is of use only at the end of the
-- walk, or when it did not get around, is looked for only then.
CREATE FUNCTION turns_v2(p_kinds text[], p_limit int, p_skip text[], p_cursor text, p_visits int,
  p_now bigint, OUT p_turns text[], OUT p_last text) LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
  v_visits int;
BEGIN
  WITH RECURSIVE walk AS (
    SELECT p_cursor COLLATE "C" AS namespace, 0 AS visit, p_cursor IS NULL AS is_around,
      false AS is_due, 0 AS found
    UNION ALL
    SELECT n.namespace, o.visit + 1, n.is_around, n.is_due, o.found + n.is_due::int
    FROM walk o CROSS JOIN LATERAL (
      SELECT m.*, m.namespace <> ALL (p_skip) AND EXISTS (SELECT 1 FROM unnest(p_kinds) AS k(kind)
        CROSS JOIN LATERAL (SELECT 1 FROM due d WHERE d.kind = k.kind AND d.namespace >= ''
          AND d.namespace = m.namespace AND d.due_at <= p_now ORDER BY d.due_at LIMIT 1) q OFFSET 0)
        AS is_due
      FROM (SELECT coalesce(a.namespace, f.namespace) AS namespace,
          o.is_around OR a.namespace IS NULL AS is_around
        FROM (SELECT min(q.namespace) AS namespace FROM unnest(p_kinds) AS k(kind)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
            AND d.namespace >= '' AND d.namespace > o.namespace ORDER BY d.namespace LIMIT 1) q) a
        CROSS JOIN LATERAL (SELECT min(q.namespace) AS namespace FROM unnest(p_kinds) AS k(kind)
          CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
            AND d.namespace >= '' ORDER BY d.namespace LIMIT 1) q
          WHERE a.namespace IS NULL AND (o.visit = 0 OR NOT o.is_around)) f
        OFFSET 0) m
      WHERE NOT m.is_around OR p_cursor IS NULL OR m.namespace <= p_cursor
      OFFSET 0
    ) n
    WHERE o.visit < p_visits AND o.found < p_limit AND n.namespace IS NOT NULL
  )
  SELECT coalesce(array_agg(w.namespace ORDER BY w.visit) FILTER (WHERE w.is_due), '{}'),
      (array_agg(w.namespace ORDER BY w.visit DESC))[1], max(w.visit)
    INTO p_turns, p_last, v_visits FROM walk w;
  IF cardinality(p_turns) < p_limit AND v_visits >= p_visits THEN
    p_turns := p_turns || ARRAY(SELECT DISTINCT o.namespace FROM unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
        AND d.due_at > -1 AND d.due_at <= p_now ORDER BY d.due_at LIMIT p_limit) o
      WHERE o.namespace <> ALL (p_skip) AND o.namespace <> ALL (p_turns));
  END IF;
END $$;

-- Locks up to p_share rows of each namespace and returns them in turns, with their due times. Nulls
-- when there is none.
CREATE FUNCTION take_v2(p_kinds text[], p_turns text[], p_share int, p_limit int, p_now bigint,
  OUT p_rows tid[], OUT p_due_at bigint[]) LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  SELECT array_agg(o.at), array_agg(o.due_at) INTO p_rows, p_due_at FROM (
    SELECT r.at, r.due_at FROM (
      SELECT q.at, q.due_at, t.turn,
        row_number() OVER (PARTITION BY t.turn ORDER BY q.due_at) AS rank
      FROM unnest(p_turns) WITH ORDINALITY AS t(namespace, turn)
      CROSS JOIN unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.ctid AS at, d.due_at FROM due d WHERE d.kind = k.kind
        AND d.namespace >= '' AND d.namespace = t.namespace AND d.due_at <= p_now
        ORDER BY d.due_at LIMIT p_share FOR UPDATE SKIP LOCKED) q
    ) r WHERE r.rank <= p_share ORDER BY r.rank, r.turn LIMIT p_limit) o;
END $$;

-- A batch that does nothing but give back live claims, which is what workers do most of the time
-- while nothing changes. It touches neither the log nor a resource, so it needs no place in the
-- order of commits: it does not wait for the head, and each row is found and changed in one go.
--
-- A claim that is live proves that its resource is still the one that was claimed, because a
-- deletion takes the row of work along. What is left to be judged is a uid, where one is given.
--
-- The keys come in the order in which every statement locks rows. What is in no part of the answer
-- was not released because its claim is lost.
CREATE FUNCTION release_v2(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_kind text[], p_namespace text[], p_name text[], p_token bigint[],
  p_uid text[], p_after bigint[], p_reset boolean[]
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_head bigint;
  v_now bigint;
  v_batch bigint;
  v_answer text;
  v_place int[];
  v_revision bigint[];
  v_conflict int[] := '{}';
  v_work boolean;
  v_done boolean;
BEGIN
  SELECT w.batch INTO v_batch FROM writer w WHERE w.id = p_writer FOR UPDATE;
  IF v_batch IS NULL THEN
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN (SELECT w.answer FROM writer w WHERE w.id = p_writer); END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;
  v_now := now_v1(p_skew_ms);
  WITH released AS (
    UPDATE due d SET due_at = least(v_now + p_after[w.i], d.wake_at), wake_at = NULL, token = NULL,
        owner = NULL, attempts = CASE WHEN p_reset[w.i] THEN 0 ELSE d.attempts END
      FROM generate_series(1, cardinality(p_kind)) AS w(i)
      CROSS JOIN LATERAL (SELECT q.revision, q.uid FROM resource q WHERE q.kind = p_kind[w.i]
        AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i] OFFSET 0) r
      WHERE d.kind = p_kind[w.i] AND d.namespace = p_namespace[w.i] AND d.name = p_name[w.i]
        AND d.token = p_token[w.i] AND d.due_at > v_now
        AND (p_uid[w.i] IS NULL OR p_uid[w.i] = r.uid)
      RETURNING w.i, d.due_at, r.revision)
  SELECT array_agg(r.i), array_agg(r.revision), bool_or(r.due_at <= v_now + 600000)
    INTO v_place, v_revision, v_work FROM released r;
  IF cardinality(p_kind) > coalesce(cardinality(v_place), 0) THEN
    SELECT coalesce(array_agg(w.i), '{}') INTO v_conflict
      FROM generate_series(1, cardinality(p_kind)) AS w(i)
      CROSS JOIN LATERAL (SELECT 1 FROM due q WHERE q.kind = p_kind[w.i]
        AND q.namespace = p_namespace[w.i] AND q.name = p_name[w.i] AND q.token = p_token[w.i]
        AND q.due_at > v_now OFFSET 0) d;
  END IF;
  SELECT h.revision INTO v_head FROM head h WHERE h.one;
  IF v_work THEN
    v_done := pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, 1)) IS NULL;
  END IF;
  v_answer := json_build_object('head', v_head, 'work', coalesce(v_work, false),
    'places', coalesce(v_place, '{}'), 'revisions', coalesce(v_revision, '{}'),
    'conflicts', v_conflict);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;
