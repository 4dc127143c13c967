-- Commits and claims that look up each due row once. As commit_v1 and claim_v1 (0004, 0005), but
-- what the lock of a due row finds is kept for its fence and its due change, and a row that is
-- locked is changed where it is instead of being found again by its key. Joins to a row by its place
-- are nested loops; on a table that looks small a planner might scan it instead, so it may not.
--
-- Parameters as for commit_v1, but a fence and a due change name their row by its place in p_lock_*.

-- Rows of work are only ever found by their whole key here, so the part that differs most comes
-- first: most comparisons end with it.
ALTER TABLE due DROP CONSTRAINT due_pkey;
ALTER TABLE due ADD CONSTRAINT due_pkey PRIMARY KEY (name, namespace, kind);

CREATE FUNCTION commit_v2(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_run_end int[], p_group int[], p_op smallint[],
  p_kind text[], p_namespace text[], p_name text[], p_uid text[],
  p_when smallint[], p_when_revision bigint[], p_when_uid text[],
  p_digest bytea[], p_size int[], p_document text[], p_sealed bytea[], p_terms text[],
  p_lock_kind text[], p_lock_namespace text[], p_lock_name text[],
  p_fence int[], p_fence_lock int[], p_fence_token bigint[],
  p_due int[], p_due_lock int[], p_due_release boolean[], p_due_after bigint[],
  p_due_reset boolean[],
  p_held jsonb
) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_head bigint;
  v_first bigint;
  v_now bigint;
  v_answer text;
  v_batch bigint;
  v_lost int[];
  -- The due rows of the locked keys, as they were.
  v_due_row tid[];
  v_due_at bigint[];
  v_wake_at bigint[];
  v_token bigint[];
  v_owner text[];
  v_attempts int[];
  v_from int := 1;
  v_to int;
  v_held jsonb;
  v_faults jsonb;
  v_why jsonb := '{}';
  v_work boolean := false;
  v_bad boolean;
  v_news int;
  v_removed int;
  v_retermed int;
  v_gone tid[];
  v_code smallint[];
  v_rev bigint[];
  v_old bigint[];
  v_uid text[];
  v_digest bytea[];
  v_terms text[];
  v_differ text[];
  v_codes smallint[] := '{}';
  v_revs bigint[] := '{}';
  v_olds bigint[] := '{}';
  v_differs text[] := '{}';
BEGIN
  -- Waiting in line costs less at an advisory lock than at a row that changes; the row's own lock
  -- is what keeps commits apart.
  PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 7370002));
  SELECT h.revision INTO v_head FROM head h WHERE h.one FOR UPDATE;
  v_first := v_head;
  SELECT w.batch, w.answer INTO v_batch, v_answer FROM writer w WHERE w.id = p_writer;
  IF v_batch IS NULL THEN
    -- Closed or swept: what comes now was given up long ago, and may have been applied.
    RAISE EXCEPTION 'writer % is not registered', p_writer USING ERRCODE = 'SP002';
  END IF;
  IF v_batch = p_batch THEN RETURN v_answer; END IF;
  IF v_batch > p_batch THEN
    RAISE EXCEPTION 'batch % of writer % is too late', p_batch, p_writer USING ERRCODE = 'SP001';
  END IF;

  IF cardinality(p_lock_kind) > 0 THEN
    SELECT array_agg(d.at), array_agg(d.due_at), array_agg(d.wake_at), array_agg(d.token),
        array_agg(d.owner), array_agg(d.attempts)
      INTO v_due_row, v_due_at, v_wake_at, v_token, v_owner, v_attempts
      FROM unnest(p_lock_kind, p_lock_namespace, p_lock_name) AS k(kind, namespace, name)
      LEFT JOIN LATERAL (SELECT q.ctid AS at, q.due_at, q.wake_at, q.token, q.owner, q.attempts
        FROM due q WHERE q.kind = k.kind AND q.namespace = k.namespace AND q.name = k.name
        FOR UPDATE) d ON true;
  END IF;
  v_now := now_v1(p_skew_ms);
  IF cardinality(p_fence) > 0 THEN
    SELECT array_agg(f.i) INTO v_lost
      FROM unnest(p_fence, p_fence_lock, p_fence_token) AS f(i, lock, token)
      WHERE (v_token[f.lock] = f.token AND v_due_at[f.lock] > v_now) IS NOT TRUE;
  END IF;

  FOREACH v_to IN ARRAY p_run_end LOOP
    -- Judge each write alone, then each group as a whole, and number those that change something.
    SELECT array_agg(z.code), array_agg(CASE WHEN z.code = 0 THEN v_head + z.n END),
        array_agg(z.old), array_agg(z.uid), array_agg(z.digest), array_agg(z.terms),
        array_agg(z.differ), count(*) FILTER (WHERE z.code = 0),
        count(*) FILTER (WHERE z.code = 0 AND z.op = 2),
        array_agg(z.at) FILTER (WHERE z.code = 0 AND z.op = 2),
        count(*) FILTER (WHERE z.code = 0 AND (z.differ IS NOT NULL
          OR (z.old IS NULL OR z.op = 2) AND z.terms <> '{}')),
        bool_or(z.code >= 10)
      INTO v_code, v_rev, v_old, v_uid, v_digest, v_terms, v_differ, v_news, v_removed, v_gone,
        v_retermed, v_bad
      FROM (
        SELECT y.*, count(*) FILTER (WHERE y.code = 0) OVER (ORDER BY y.i) AS n FROM (
          SELECT x.i, x.op, x.at, x.old, x.uid, x.digest, x.terms, x.differ,
            CASE WHEN x.code < 10 AND bool_or(x.code >= 10) OVER (PARTITION BY x.grp)
              THEN 20 ELSE x.code END::smallint AS code
          FROM (
            SELECT w.i, w.grp, w.op, r.ctid AS at, r.revision AS old, coalesce(r.uid, w.uid) AS uid,
              coalesce(w.digest, r.digest) AS digest,
              CASE WHEN w.digest IS NULL THEN r.terms::text ELSE w.terms END AS terms,
              CASE WHEN w.digest IS NOT NULL AND r.terms <> w.terms::text[]
                THEN r.terms::text END AS differ,
              CASE
                WHEN w.i + v_from - 1 = ANY (v_lost) THEN 14
                WHEN w.whn = 0 THEN CASE WHEN r.revision IS NULL THEN 0 ELSE 10 END
                WHEN r.revision IS NULL THEN 11
                WHEN w.whn = 1 AND r.revision <> w.when_revision THEN 12
                WHEN w.when_uid <> r.uid OR w.op = 1 AND w.uid <> r.uid THEN 12
                WHEN w.op = 3 OR w.op = 1 AND w.digest = r.digest AND w.terms::text[] = r.terms
                  THEN 1
                ELSE 0 END AS code
            FROM unnest(p_group[v_from:v_to], p_op[v_from:v_to], p_kind[v_from:v_to],
                p_namespace[v_from:v_to], p_name[v_from:v_to], p_uid[v_from:v_to],
                p_when[v_from:v_to], p_when_revision[v_from:v_to], p_when_uid[v_from:v_to],
                p_digest[v_from:v_to], p_terms[v_from:v_to])
              WITH ORDINALITY AS w(grp, op, kind, namespace, name, uid, whn, when_revision,
                when_uid, digest, terms, i)
            LEFT JOIN LATERAL (SELECT q.ctid, q.revision, q.uid, q.digest, q.terms FROM resource q
              WHERE q.kind = w.kind AND q.namespace = w.namespace AND q.name = w.name OFFSET 0) r
              ON true
          ) x
        ) y ORDER BY y.i
      ) z;

    v_held := NULL;
    IF p_held IS NOT NULL THEN
      SELECT jsonb_agg(e) INTO v_held FROM jsonb_array_elements(p_held) e
        WHERE (e ->> 'i')::int BETWEEN v_from AND v_to;
    END IF;
    IF v_held IS NOT NULL AND NOT v_bad THEN
      v_faults := hold_v1(v_held);
      IF v_faults IS NOT NULL THEN
        v_news := 0;
        v_bad := true;
        v_why := v_why || v_faults;
        SELECT array_agg(coalesce((v_faults -> i::text ->> 'code')::smallint, 20)), array_agg(NULL::bigint)
          INTO v_code, v_rev FROM generate_series(v_from, v_to) i;
      END IF;
    END IF;

    IF v_news > 0 THEN
      INSERT INTO change (revision, previous, at_ms, type, kind, namespace, name, uid, terms,
          digest, document, sealed)
        SELECT w.rev, w.old, v_now, CASE WHEN w.op = 2 THEN 3 WHEN w.old IS NULL THEN 1 ELSE 2 END,
          w.kind, w.namespace, w.name, w.uid, w.terms::text[], w.digest, w.document, w.sealed
        FROM unnest(v_rev, v_old, p_op[v_from:v_to], p_kind[v_from:v_to],
            p_namespace[v_from:v_to], p_name[v_from:v_to], v_uid, v_terms, v_digest,
            p_document[v_from:v_to], p_sealed[v_from:v_to])
          AS w(rev, old, op, kind, namespace, name, uid, terms, digest, document, sealed)
        WHERE w.rev IS NOT NULL;
      IF v_news > v_removed THEN
        INSERT INTO resource AS r (kind, namespace, name, revision, size, uid, digest, terms)
          SELECT w.kind, w.namespace, w.name, w.rev, w.size, w.uid, w.digest, w.terms::text[]
          FROM unnest(v_rev, p_op[v_from:v_to], p_kind[v_from:v_to], p_namespace[v_from:v_to],
              p_name[v_from:v_to], p_size[v_from:v_to], v_uid, v_terms, v_digest)
            AS w(rev, op, kind, namespace, name, size, uid, terms, digest)
          WHERE w.rev IS NOT NULL AND w.op = 1
          ON CONFLICT (kind, namespace, name) DO UPDATE
            SET revision = excluded.revision, size = excluded.size, digest = excluded.digest,
              terms = excluded.terms;
      END IF;
      IF v_retermed > 0 THEN
        PERFORM reterm_v1(v_rev, v_old, p_op[v_from:v_to], p_kind[v_from:v_to],
          p_namespace[v_from:v_to], p_name[v_from:v_to], v_terms, v_differ);
      END IF;
      IF v_removed > 0 THEN
        DELETE FROM resource WHERE ctid = ANY (v_gone);
        PERFORM forget_v1(v_rev, p_op[v_from:v_to], p_kind[v_from:v_to], p_namespace[v_from:v_to],
          p_name[v_from:v_to]);
      END IF;
      v_head := v_head + v_news;
    END IF;
    v_codes := v_codes || v_code;
    v_revs := v_revs || v_rev;
    v_olds := v_olds || v_old;
    v_differs := v_differs || v_differ;
    v_from := v_to + 1;
  END LOOP;

  IF cardinality(p_due) > 0 THEN
    v_work := plan_v2(v_now, v_codes, p_due, p_due_lock, p_due_release, p_due_after, p_due_reset,
      p_lock_kind, p_lock_namespace, p_lock_name, v_due_row, v_due_at, v_wake_at, v_token, v_owner,
      v_attempts);
  END IF;
  IF v_head > v_first THEN UPDATE head SET revision = v_head WHERE one; END IF;
  IF v_head > v_first OR v_work THEN
    PERFORM pg_notify(current_schema(), concat_ws(' ', p_writer, v_head, v_work::int));
  END IF;
  v_answer := json_build_object('head', v_head, 'at', v_now, 'work', v_work, 'c', v_codes,
    'r', v_revs, 'p', v_olds, 'why', v_why, 't', CASE WHEN array_remove(v_differs, NULL) <> '{}'
      THEN (SELECT json_agg(to_json(t::text[])) FROM unnest(v_differs) t) END);
  UPDATE writer SET batch = p_batch, answer = v_answer, at_ms = v_now WHERE id = p_writer;
  RETURN v_answer;
END $$;

-- Wakes and releases of the accepted writes; says whether something is due sooner than before and
-- within limits.workHorizonMs: who waits for work looks more often than that by itself. The rows are
-- locked and no other commit runs, so what was read of them still holds, and the ones that were not
-- there are still missing.
CREATE FUNCTION plan_v2(p_now bigint, p_codes smallint[], p_due int[], p_lock int[],
  p_release boolean[], p_after bigint[], p_reset boolean[],
  p_kind text[], p_namespace text[], p_name text[], p_row tid[], p_due_at bigint[],
  p_wake_at bigint[], p_token bigint[], p_owner text[], p_attempts int[]
) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_row tid[];
  v_due_at bigint[];
  v_wake_at bigint[];
  v_token bigint[];
  v_owner text[];
  v_attempts int[];
  v_new int[];
  v_new_at bigint[];
  v_gone tid[];
  v_work boolean;
BEGIN
  SELECT array_agg(n.at) FILTER (WHERE n.differs), array_agg(n.due_at) FILTER (WHERE n.differs),
      array_agg(n.wake_at) FILTER (WHERE n.differs), array_agg(n.token) FILTER (WHERE n.differs),
      array_agg(n.owner) FILTER (WHERE n.differs), array_agg(n.attempts) FILTER (WHERE n.differs),
      array_agg(n.lock) FILTER (WHERE n.stays AND n.at IS NULL),
      array_agg(n.due_at) FILTER (WHERE n.stays AND n.at IS NULL),
      array_agg(n.at) FILTER (WHERE NOT n.stays),
      bool_or((NOT n.live OR n.release) AND n.due_at <= p_now + 600000)
    INTO v_row, v_due_at, v_wake_at, v_token, v_owner, v_attempts, v_new, v_new_at, v_gone, v_work
    FROM (
      SELECT s.*, s.due_at IS NOT NULL OR s.attempts > 0 AS stays,
        -- A wake of what is due already changes nothing.
        s.at IS NOT NULL AND (s.due_at IS NOT NULL OR s.attempts > 0) AND (s.release
          OR s.due_at IS DISTINCT FROM s.was_due_at OR s.wake_at IS DISTINCT FROM s.was_wake_at)
          AS differs
      FROM (
        SELECT d.*, w.lock, w.release,
          CASE WHEN w.release THEN least(p_now + w.after, d.was_wake_at)
            WHEN d.live THEN d.was_due_at ELSE least(d.was_due_at, p_now + w.after) END AS due_at,
          CASE WHEN d.live AND NOT w.release
            THEN least(d.was_wake_at, p_now + w.after) END AS wake_at,
          CASE WHEN NOT w.release THEN p_token[w.lock] END AS token,
          CASE WHEN NOT w.release THEN p_owner[w.lock] END AS owner,
          CASE WHEN w.reset THEN 0 ELSE coalesce(p_attempts[w.lock], 0) END AS attempts
        FROM unnest(p_due, p_lock, p_release, p_after, p_reset)
          AS w(i, lock, release, after, reset)
        CROSS JOIN LATERAL (SELECT p_row[w.lock] AS at, p_due_at[w.lock] AS was_due_at,
          p_wake_at[w.lock] AS was_wake_at, coalesce(p_token[w.lock] IS NOT NULL
            AND p_due_at[w.lock] > p_now, false) AS live) d
        WHERE p_codes[w.i] < 10
      ) s
    ) n;
  IF v_row IS NOT NULL THEN
    UPDATE due d SET due_at = n.due_at, wake_at = n.wake_at, token = n.token, owner = n.owner,
        attempts = n.attempts
      FROM unnest(v_row, v_due_at, v_wake_at, v_token, v_owner, v_attempts)
        AS n(at, due_at, wake_at, token, owner, attempts)
      WHERE d.ctid = n.at;
  END IF;
  IF v_new IS NOT NULL THEN
    INSERT INTO due (kind, namespace, name, due_at)
      SELECT p_kind[n.lock], p_namespace[n.lock], p_name[n.lock], n.due_at
      FROM unnest(v_new, v_new_at) AS n(lock, due_at);
  END IF;
  IF v_gone IS NOT NULL THEN DELETE FROM due WHERE ctid = ANY (v_gone); END IF;
  RETURN coalesce(v_work, false);
END $$;

-- The statement that hands out due work; see 0005 for how it chooses.
CREATE FUNCTION claim_v2(p_owner text, p_kinds text[], p_limit int, p_lease_ms bigint,
  p_per_namespace int, p_skip text[], p_cursor text, p_visits int, p_skew_ms bigint)
RETURNS TABLE (kind text, namespace text, name text, token bigint, uid text, revision bigint,
  expires_at bigint, due_at bigint, attempts int, turn text) LANGUAGE plpgsql
SET enable_sort = off SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_now bigint := now_v1(p_skew_ms);
  v_fits boolean;
  v_turns text[];
  v_share int;
  v_rows tid[];
  v_kind text[];
  v_namespace text[];
  v_name text[];
  v_token bigint[];
  v_uid text[];
  v_revision bigint[];
  v_due_at bigint[];
  v_attempts int[];
BEGIN
  SELECT count(*) <= p_limit AND NOT coalesce(bool_or(s.namespace = ANY (p_skip)), false)
      AND (p_per_namespace IS NULL OR coalesce(max(s.n), 0) <= p_per_namespace)
    INTO v_fits FROM (
      SELECT f.namespace, count(*) OVER (PARTITION BY f.namespace) AS n FROM (
        SELECT q.namespace FROM unnest(p_kinds) AS k(kind)
        CROSS JOIN LATERAL (SELECT d.namespace FROM due d WHERE d.kind = k.kind
          AND d.due_at > -1 AND d.due_at <= v_now
          ORDER BY d.due_at LIMIT p_limit + 1) q LIMIT p_limit + 1) f) s;
  IF v_fits THEN
    v_rows := ARRAY(SELECT q.at FROM unnest(p_kinds) AS k(kind)
      CROSS JOIN LATERAL (SELECT d.ctid AS at FROM due d WHERE d.kind = k.kind
        AND d.due_at > -1 AND d.due_at <= v_now AND d.namespace <> ALL (p_skip)
        ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED) q LIMIT p_limit);
  ELSE
    SELECT t.p_turns, t.p_last INTO v_turns, p_cursor
      FROM turns_v1(p_kinds, p_limit, p_skip, p_cursor, p_visits, v_now) t;
    v_share := greatest(1, ceil(p_limit::numeric / greatest(cardinality(v_turns), 1)));
    v_rows := take_v1(p_kinds, v_turns, least(v_share, p_per_namespace), p_limit, v_now);
    IF cardinality(v_rows) < p_limit AND v_share < coalesce(p_per_namespace, p_limit) THEN
      v_rows := take_v1(p_kinds, v_turns, least(p_limit, p_per_namespace), p_limit, v_now);
    END IF;
  END IF;
  IF cardinality(v_rows) = 0 THEN
    turn := p_cursor;
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT array_agg(d.kind), array_agg(d.namespace), array_agg(d.name), array_agg(d.token),
      array_agg(r.uid), array_agg(r.revision), array_agg(d.due_at), array_agg(d.attempts + 1)
    INTO v_kind, v_namespace, v_name, v_token, v_uid, v_revision, v_due_at, v_attempts
    FROM unnest(v_rows) AS o(at)
    LEFT JOIN LATERAL (SELECT q.kind, q.namespace, q.name, q.due_at, q.attempts,
      nextval('claim_token') AS token FROM due q WHERE q.ctid = o.at OFFSET 0) d ON true
    LEFT JOIN LATERAL (SELECT q.uid, q.revision FROM resource q WHERE q.kind = d.kind
      AND q.namespace = d.namespace AND q.name = d.name OFFSET 0) r ON true;
  UPDATE due d SET due_at = v_now + p_lease_ms, wake_at = NULL, token = w.token, owner = p_owner,
      attempts = w.attempts
    FROM unnest(v_rows, v_token, v_attempts) AS w(at, token, attempts) WHERE d.ctid = w.at;
  RETURN QUERY SELECT w.kind, w.namespace, w.name, w.token, w.uid, w.revision,
      v_now + p_lease_ms, w.due_at, w.attempts, p_cursor
    FROM unnest(v_kind, v_namespace, v_name, v_token, v_uid, v_revision, v_due_at, v_attempts)
      AS w(kind, namespace, name, token, uid, revision, due_at, attempts);
END $$;
