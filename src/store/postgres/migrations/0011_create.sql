-- Batches of nothing but creations, which is what a busy server commits most. commit_v3 (0008) looks
-- for every key before it writes, to judge each write by what is stored; of a creation the primary
-- key itself tells whether it may be. So these are written at once, and nothing is looked for.
--
-- When one of them is refused by a key, all that was written is taken back and the answer is null:
-- the caller sends the batch again to commit_v3, under its next number, which says what is wrong with
-- which write. The number of this one is used up all the same, so that a copy of it that arrives late
-- does nothing.
--
-- A resource that is not there has no row of work, no terms and no names: they go with it.
--
-- Parameters as for commit_v3. Writes are numbered from 1 in their order: the first gets the revision
-- after `first`.
CREATE FUNCTION create_v1(
  p_writer text, p_batch bigint, p_skew_ms bigint,
  p_kind text[], p_namespace text[], p_name text[], p_uid text[],
  p_digest bytea[], p_size int[], p_document text[], p_terms text[],
  p_due int[], p_due_after bigint[],
  p_take int[], p_take_scope text[], p_take_label text[]
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
  INSERT INTO change (revision, at_ms, type, kind, namespace, name, uid, terms, digest, document)
    SELECT v_head + w.i, v_now, 1, p_kind[w.i], p_namespace[w.i], p_name[w.i], p_uid[w.i],
      p_terms[w.i]::text[], p_digest[w.i], p_document[w.i]
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
