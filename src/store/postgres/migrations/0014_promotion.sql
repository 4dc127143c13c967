-- A promotion that may lose changes leaves a gap of a billion revisions below the mark. As
-- compact_v1 (0005), but a slice is a number of changes that exist, so a gap costs nothing.
CREATE FUNCTION compact_v2(p_items int, OUT removed bigint, OUT done bigint, OUT mark bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_from bigint;
  v_gone bigint[];
BEGIN
  SELECT c.done INTO v_from FROM compaction c WHERE c.one FOR UPDATE;
  SELECT h.compacted INTO mark FROM head h WHERE h.one;
  SELECT least(mark, coalesce((SELECT c.revision FROM change c WHERE c.revision > v_from
    ORDER BY c.revision OFFSET p_items - 1 LIMIT 1), mark)) INTO done;
  removed := 0;
  IF done <= v_from THEN done := v_from; RETURN; END IF;
  SELECT array_agg(g.revision) INTO v_gone FROM (
    SELECT c.previous AS revision FROM change c
      WHERE c.revision > v_from AND c.revision <= compact_v2.done AND c.previous IS NOT NULL
    UNION ALL
    SELECT c.revision FROM change c
      WHERE c.revision > v_from AND c.revision <= compact_v2.done AND c.type = 3) g;
  IF v_gone IS NOT NULL THEN
    DELETE FROM change c WHERE c.revision = ANY (v_gone);
    GET DIAGNOSTICS removed = ROW_COUNT;
  END IF;
  UPDATE compaction SET done = compact_v2.done WHERE one;
END $$;

-- As demote_v1 (0013), with the epoch that the store follows from now on.
CREATE FUNCTION demote_v2(p_primary text, p_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM demote_v1(p_primary);
  UPDATE head SET epoch = p_epoch WHERE one;
END $$;

-- Makes the store the primary of the next epoch. p_leap and p_token_leap are added to the revision
-- and to the token; with a leap, history begins at the new revision. Resources of p_kinds become
-- due, p_per_second of them in each second. Of notes, the next has a number above those followed.
CREATE FUNCTION promote_v1(p_skew_ms bigint, p_leap bigint, p_token_leap bigint, p_kinds text[],
  p_per_second bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_done boolean;
  v_revision bigint;
  v_compacted bigint;
  v_held bigint;
  v_now bigint := now_v1(p_skew_ms);
BEGIN
  UPDATE head SET role = 'primary', primary_name = '', epoch = epoch + 1,
      revision = revision + p_leap,
      compacted = CASE WHEN p_leap > 0 THEN revision + p_leap ELSE compacted END
    WHERE one RETURNING revision, compacted, held INTO v_revision, v_compacted, v_held;
  v_done := setval('claim_token', (SELECT last_value FROM claim_token) + p_token_leap) IS NULL;
  IF v_held > 0 THEN v_done := setval(pg_get_serial_sequence('held', 'id'), v_held) IS NULL; END IF;
  INSERT INTO due (kind, namespace, name, due_at)
    SELECT r.kind, r.namespace, r.name,
      v_now + (row_number() OVER (ORDER BY r.kind, r.namespace, r.name) - 1) * 1000 / p_per_second
    FROM resource r WHERE r.kind = ANY (p_kinds)
    ON CONFLICT DO NOTHING;
  v_done := pg_notify(current_schema(),
    concat_ws(' ', 'promote', v_revision, 1, v_compacted)) IS NULL;
END $$;
