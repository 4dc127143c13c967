// A rollback: first a dry run that shows what would change, then the write, with the revision that
// was shown as its precondition.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { report } from "../../actions/question.ts";
import { insight } from "../../api/insight.ts";
import type { Rollback } from "../../api/types.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { countText } from "../../format/number.ts";
import { refetchAll } from "../../query/query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import type { Viewed } from "./resource-page.tsx";

interface RollbackProps {
  readonly viewed: Viewed;
  readonly to: number;
  readonly shown: string;
  readonly onClose: () => void;
}

export function RollbackDialog({ viewed, to, shown, onClose }: RollbackProps) {
  const plan = useSignal<Rollback | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const { kind, namespace, name } = viewed;
  const address = { kind: kind.id, namespace, name };
  const attempt = async (dryRun: boolean): Promise<Rollback | undefined> => {
    isBusy.value = true;
    error.value = undefined;
    try {
      return await insight.rollback(address, { to, dryRun, shown });
    } catch (reason) {
      error.value = reason instanceof Error ? reason : new Error(String(reason));
      return undefined;
    } finally {
      isBusy.value = false;
    }
  };
  useEffect(() => {
    const makePlan = async (): Promise<void> => {
      plan.value = await attempt(true);
    };
    void makePlan();
  }, []);
  const perform = async (): Promise<void> => {
    const done = await attempt(false);
    if (done === undefined) return;
    const undo = `To undo it, roll back to revision ${countText(done.replaced)}.`;
    report.value = { kind: "done", text: `Rolled back to revision ${countText(to)}. ${undo}` };
    refetchAll();
    onClose();
  };
  const isSame = plan.value?.outcome === "unchanged";
  return (
    <Dialog
      title={`Roll back ${kind.kind}/${name} to revision ${countText(to)}?`}
      size="wide"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="main"
            isBusy={isBusy.value}
            off={rollOff(plan.value, isSame)}
            onClick={() => void perform()}
          >
            Roll back
          </Button>
        </>
      }
    >
      <p>
        Metadata, status and secret fields stay as they are. The rest is written as a new revision.
      </p>
      {error.value !== undefined && <ErrorPanel error={error.value} title="It would be refused" />}
      {plan.value === undefined && error.value === undefined && <Skeleton />}
      {plan.value !== undefined && (
        <DiffView
          changes={plan.value.changes.filter(({ path }) => !path.startsWith("/metadata/"))}
        />
      )}
    </Dialog>
  );
}

function rollOff(plan: Rollback | undefined, isSame: boolean): string | undefined {
  if (plan === undefined) return "Wait for the dry run.";
  return isSame ? "Nothing would change." : undefined;
}
