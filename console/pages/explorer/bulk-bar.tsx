import { runAction, running } from "../../actions/run.ts";
import { actions, whyOff } from "../../actions/table.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { plural } from "../../format/number.ts";
import { Button } from "../../ui/button.tsx";
import { subjectOf } from "./row-subject.ts";

interface BulkProps {
  readonly kind: KindInfo;
  readonly rows: readonly Row[];
  readonly onClear: () => void;
}

/** What can be done with the selected rows. */
export function BulkBar({ kind, rows, onClear }: BulkProps) {
  if (rows.length === 0) return null;
  const subjects = rows.map((row) => subjectOf(kind, row));
  const shared = actions.filter(({ isForMany, kinds }) => {
    return isForMany === true && (kinds === undefined || kinds.includes(kind.id));
  });
  return (
    <div class="bulk" role="region" aria-label="Selection">
      <span class="strong">{plural(rows.length, "row")} selected</span>
      {shared.map((action) => {
        const usable = subjects.filter((each) => action.fits?.(each) !== false);
        const reasons = usable.map((each) => whyOff(action, each));
        const isOff = reasons.every((reason) => reason !== undefined);
        return usable.length === 0 ? null : (
          <Button
            key={action.id}
            off={isOff ? reasons[0] : undefined}
            isBusy={running.value.has(action.id)}
            onClick={() => void runAction(action, usable)}
          >
            {action.label}
          </Button>
        );
      })}
      <Button icon="close" label="Clear the selection" look="quiet" onClick={onClear} />
    </div>
  );
}
