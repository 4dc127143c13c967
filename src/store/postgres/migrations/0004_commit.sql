-- A batch of writes in one round trip and one transaction: lock the head, judge, number, apply,
-- notify. No two writes of a batch name the same key, so a run of groups that hold nothing new is
-- judged and applied as one set; a group that takes names, uses or bounds is a run of its own.
--
-- Per write: p_op 1 put, 2 delete, 3 schedule; p_when 0 absent, 1 at p_when_revision, 2 exists
-- (with p_when_uid); p_terms is an array literal. Fences and due changes are sparse lists that name
-- their write by ordinal. p_lock_* are all keys whose due rows may be read or changed, sorted, so
-- that a renewal, which locks in the same order, cannot meet a commit in a deadlock.
--
-- Answer (json text): head, at, work, and per write code c, revision r, replaced revision p, the
-- replaced terms t where they differ, and why a name or a counter refused it, by ordinal. Codes:
-- 0 committed, 1 unchanged, 10 already_exists, 11 not_found, 12 conflict, 14 claim.lost,
-- 15 name.taken, 16 counter.exceeded, 20 group_refused.
CREATE FUNCTION commit_v1(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_run_end int[], p_group int[], p_op smallint[],
  p_kind text[], p_namespace text[], p_name text[], p_uid text[],
  p_when smallint[], p_when_revision bigint[], p_when_uid text[],
  p_digest bytea[], p_size int[], p_document text[], p_sealed bytea[], p_terms text[],
  p_lock_kind text[], p_lock_namespace text[], p_lock_name text[],
  p_fence int[], p_fence_kind text[], p_fence_namespace text[], p_fence_name text[],
  p_fence_token bigint[],
  p_due int[], p_due_kind text[], p_due_namespace text[], p_due_name text[],
  p_due_release boolean[], p_due_after bigint[], p_due_reset boolean[],
  p_held jsonb
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_head bigint;
  v_first bigint;
  v_now bigint;
  v_answer text;
  v_batch bigint;
  v_lost int[];
  v_from int := 1;
  v_to int;
  v_held jsonb;
  v_faults jsonb;
  v_why jsonb := '{}';
  v_work boolean := false;
  v_woke boolean;
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
    PERFORM 1 FROM unnest(p_lock_kind, p_lock_namespace, p_lock_name) AS k(kind, namespace, name)
      CROSS JOIN LATERAL (SELECT 1 FROM due d WHERE d.kind = k.kind AND d.namespace = k.namespace
        AND d.name = k.name FOR UPDATE) d;
  END IF;
  v_now := now_v1(p_skew_ms);
  IF cardinality(p_fence) > 0 THEN
    SELECT array_agg(f.i) INTO v_lost
      FROM unnest(p_fence, p_fence_kind, p_fence_namespace, p_fence_name, p_fence_token)
        AS f(i, kind, namespace, name, token)
      LEFT JOIN LATERAL (SELECT true AS live FROM due d WHERE d.kind = f.kind
        AND d.namespace = f.namespace AND d.name = f.name AND d.token = f.token
        AND d.due_at > v_now OFFSET 0) d ON true
      WHERE d.live IS NULL;
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
    v_work := plan_v1(v_now, v_codes, p_due, p_due_kind, p_due_namespace, p_due_name,
      p_due_release, p_due_after, p_due_reset);
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

-- Brings the term index in line with the new terms. Old terms are null where they are the same.
CREATE FUNCTION reterm_v1(p_rev bigint[], p_old bigint[], p_op smallint[], p_kind text[],
  p_namespace text[], p_name text[], p_terms text[], p_differ text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_gone tid[];
BEGIN
  IF 2 = ANY (p_op) OR array_remove(p_differ, NULL) <> '{}' THEN
    SELECT array_agg(t.at) INTO v_gone
      FROM (SELECT w.kind, w.namespace, w.name, o.term
        FROM unnest(p_rev, p_op, p_kind, p_namespace, p_name, p_terms, p_differ)
          AS w(rev, op, kind, namespace, name, terms, differ)
        CROSS JOIN LATERAL unnest(coalesce(w.differ, w.terms)::text[]) AS o(term)
        WHERE w.rev IS NOT NULL
          AND (w.op = 2 OR w.differ IS NOT NULL AND o.term <> ALL (w.terms::text[])) OFFSET 0) o
      CROSS JOIN LATERAL (SELECT q.ctid AS at FROM term q WHERE q.kind = o.kind
        AND q.term = o.term AND q.namespace = o.namespace AND q.name = o.name OFFSET 0) t;
    IF v_gone IS NOT NULL THEN DELETE FROM term WHERE ctid = ANY (v_gone); END IF;
  END IF;
  INSERT INTO term (kind, term, namespace, name)
    SELECT w.kind, n.term, w.namespace, w.name
    FROM unnest(p_rev, p_old, p_op, p_kind, p_namespace, p_name, p_terms, p_differ)
      AS w(rev, old, op, kind, namespace, name, terms, differ)
    CROSS JOIN LATERAL unnest(w.terms::text[]) AS n(term)
    WHERE w.rev IS NOT NULL AND w.op = 1 AND (w.old IS NULL
      OR w.differ IS NOT NULL AND n.term <> ALL (w.differ::text[]))
    ON CONFLICT DO NOTHING;
END $$;

-- Removes what hangs on deleted resources.
CREATE FUNCTION forget_v1(p_rev bigint[], p_op smallint[], p_kind text[], p_namespace text[],
  p_name text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_kind text[];
  v_namespace text[];
  v_name text[];
  v_gone tid[];
BEGIN
  SELECT array_agg(w.kind), array_agg(w.namespace), array_agg(w.name)
    INTO v_kind, v_namespace, v_name
    FROM unnest(p_rev, p_op, p_kind, p_namespace, p_name) AS w(rev, op, kind, namespace, name)
    WHERE w.rev IS NOT NULL AND w.op = 2;
  SELECT array_agg(d.at) INTO v_gone
    FROM unnest(v_kind, v_namespace, v_name) AS k(kind, namespace, name)
    LEFT JOIN LATERAL (SELECT q.ctid AS at FROM due q WHERE q.kind = k.kind
      AND q.namespace = k.namespace AND q.name = k.name OFFSET 0) d ON true
    WHERE d.at IS NOT NULL;
  IF v_gone IS NOT NULL THEN DELETE FROM due WHERE ctid = ANY (v_gone); END IF;
  PERFORM let_go_v1(v_kind, v_namespace, v_name);
END $$;

-- Wakes and releases of the accepted writes; says whether something is due sooner than before.
CREATE FUNCTION plan_v1(p_now bigint, p_codes smallint[], p_due int[], p_kind text[],
  p_namespace text[], p_name text[], p_release boolean[], p_after bigint[], p_reset boolean[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_kind text[];
  v_namespace text[];
  v_name text[];
  v_due_at bigint[];
  v_wake_at bigint[];
  v_token bigint[];
  v_owner text[];
  v_attempts int[];
  v_gone tid[];
  v_work boolean;
BEGIN
  SELECT array_agg(n.kind) FILTER (WHERE n.stays), array_agg(n.namespace) FILTER (WHERE n.stays),
      array_agg(n.name) FILTER (WHERE n.stays), array_agg(n.due_at) FILTER (WHERE n.stays),
      array_agg(n.wake_at) FILTER (WHERE n.stays), array_agg(n.token) FILTER (WHERE n.stays),
      array_agg(n.owner) FILTER (WHERE n.stays), array_agg(n.attempts) FILTER (WHERE n.stays),
      array_agg(n.at) FILTER (WHERE NOT n.stays),
      bool_or(n.stays AND (NOT n.live OR n.release AND n.due_at IS NOT NULL))
    INTO v_kind, v_namespace, v_name, v_due_at, v_wake_at, v_token, v_owner, v_attempts, v_gone,
      v_work
    FROM (
      SELECT s.*, s.due_at IS NOT NULL OR s.attempts > 0 AS stays FROM (
        SELECT w.kind, w.namespace, w.name, w.release, d.at, coalesce(d.live, false) AS live,
          CASE WHEN w.release THEN least(p_now + w.after, d.wake_at)
            WHEN d.live THEN d.due_at ELSE least(d.due_at, p_now + w.after) END AS due_at,
          CASE WHEN d.live AND NOT w.release THEN least(d.wake_at, p_now + w.after) END AS wake_at,
          CASE WHEN NOT w.release THEN d.token END AS token,
          CASE WHEN NOT w.release THEN d.owner END AS owner,
          CASE WHEN w.reset THEN 0 ELSE coalesce(d.attempts, 0) END AS attempts
        FROM unnest(p_due, p_kind, p_namespace, p_name, p_release, p_after, p_reset)
          AS w(i, kind, namespace, name, release, after, reset)
        LEFT JOIN LATERAL (SELECT q.ctid AS at, q.due_at, q.wake_at, q.token, q.owner, q.attempts,
            q.token IS NOT NULL AND q.due_at > p_now AS live FROM due q
          WHERE q.kind = w.kind AND q.namespace = w.namespace AND q.name = w.name OFFSET 0) d
          ON true
        WHERE p_codes[w.i] < 10
      ) s
    ) n;
  IF v_kind IS NOT NULL THEN
    INSERT INTO due AS d (kind, namespace, name, due_at, wake_at, token, owner, attempts)
      SELECT * FROM unnest(v_kind, v_namespace, v_name, v_due_at, v_wake_at, v_token, v_owner,
        v_attempts)
      ON CONFLICT (kind, namespace, name) DO UPDATE SET due_at = excluded.due_at,
        wake_at = excluded.wake_at, token = excluded.token, owner = excluded.owner,
        attempts = excluded.attempts;
  END IF;
  IF v_gone IS NOT NULL THEN DELETE FROM due WHERE ctid = ANY (v_gone); END IF;
  RETURN coalesce(v_work, false);
END $$;
