// The resource was changed after its text was read.

import { useSignal } from "@preact/signals";
import { insight } from "../../api/insight.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { useQuery } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { revisionOf } from "./edited-text.ts";
import type { Viewed } from "./resource-page.tsx";

interface NewerProps {
  readonly viewed: Viewed;
  readonly base: string;
  readonly isChanged: boolean;
  readonly onReload: () => void;
  readonly onMerge: () => void;
}

export function NewerRevision({ viewed, base, isChanged, onReload, onMerge }: NewerProps) {
  const { kind, namespace, name } = viewed;
  const isShown = useSignal(false);
  const history = useQuery(
    `newest ${kind.id} ${namespace} ${name}`,
    async (signal) => await insight.history({ kind: kind.id, namespace, name }, undefined, signal),
    { live: (change) => change.kind === kind.id && change.name === name },
  );
  const newest = history.data?.revisions[0];
  return (
    <div class="yaml-newer" role="status">
      <span>
        {newest?.cause?.actor ?? "Another client"} changed this{" "}
        {newest !== undefined && <Time at={newest.time} />}.
      </span>
      <Button
        onClick={() => {
          isShown.value = true;
        }}
      >
        Show diff
      </Button>
      <Button
        off={isChanged ? undefined : "Your text has no changes: reload it."}
        onClick={onMerge}
      >
        Merge
      </Button>
      <Button onClick={onReload}>{isChanged ? "Reload, without my changes" : "Reload"}</Button>
      {isShown.value && (
        <DiffDialog
          viewed={viewed}
          from={Number(revisionOf(base) ?? 0)}
          onClose={() => {
            isShown.value = false;
          }}
        />
      )}
    </div>
  );
}

interface DiffDialogProps {
  readonly viewed: Viewed;
  readonly from: number;
  readonly onClose: () => void;
}

function DiffDialog({ viewed: { kind, namespace, name }, from, onClose }: DiffDialogProps) {
  const { data, error } = useQuery(
    `since ${kind.id} ${namespace} ${name} ${from}`,
    async (signal) =>
      await insight.diff({ kind: kind.id, namespace, name }, from, undefined, signal),
  );
  return (
    <Dialog title="Changed since you opened it" size="wide" onClose={onClose}>
      {error !== undefined && <ErrorPanel error={error} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <DiffView
          changes={data.changes.filter(({ path }) => !path.startsWith("/metadata/managedFields"))}
        />
      )}
    </Dialog>
  );
}
