import type { FieldChange } from "../../api/types.ts";
import { DiffView } from "../../components/diff-view.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface ApplyProps {
  readonly title: string;
  readonly changes: readonly FieldChange[];
  readonly isBusy: boolean;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

/** What a write would change, as the dry run of the server reported it. */
export function ApplyDialog({ title, changes, isBusy, onApply, onClose }: ApplyProps) {
  return (
    <Dialog
      title={title}
      size="wide"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Back to the text</Button>
          <Button
            look="main"
            isBusy={isBusy}
            off={changes.length === 0 ? "Nothing would change." : undefined}
            onClick={onApply}
          >
            Apply
          </Button>
        </>
      }
    >
      <p class="muted">The server accepts it. This would change:</p>
      <DiffView changes={changes} />
    </Dialog>
  );
}
