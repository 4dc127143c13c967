import { runAction, running } from "../actions/run.ts";
import { whyOff } from "../actions/table.ts";
import type { Action, Subject } from "../actions/action.ts";
import { hasKeys } from "../settings/settings.ts";
import { Button } from "../ui/button.tsx";
import { MenuItem } from "../ui/menu.tsx";

interface ActionProps {
  readonly action: Action;
  readonly subject: Subject;
  /** Where there are several subjects, the key belongs to one of them. */
  readonly hasShortcut?: boolean;
  readonly isMain?: boolean;
}

export function ActionButton({ action, subject, hasShortcut = false, isMain }: ActionProps) {
  const isFirst = isMain ?? action.isMain === true;
  return (
    <Button
      look={isFirst ? "main" : "plain"}
      off={whyOff(action, subject)}
      isBusy={running.value.has(action.id)}
      shortcut={hasShortcut && hasKeys.value === "on" ? action.key : undefined}
      onClick={() => void runAction(action, [subject])}
    >
      {action.label}
    </Button>
  );
}

export function ActionItem({ action, subject, hasShortcut = false }: ActionProps) {
  return (
    <MenuItem
      off={whyOff(action, subject)}
      isDanger={action.isDanger === true}
      shortcut={hasShortcut && hasKeys.value === "on" ? action.key : undefined}
      onClick={() => void runAction(action, [subject])}
    >
      {action.label}
    </MenuItem>
  );
}
