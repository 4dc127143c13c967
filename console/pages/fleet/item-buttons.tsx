import type { Subject } from "../../actions/action.ts";
import { actionsFor } from "../../actions/table.ts";
import { ActionButton, ActionItem } from "../../components/action-button.tsx";
import { paths } from "../../paths.ts";
import { copyText } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";

interface ItemButtonsProps {
  readonly subject: Subject;
  /** Beside the title; the others are in the menu. */
  readonly inRow: readonly string[];
  /** Replaced by an action of the page. */
  readonly without?: readonly string[];
}

export function ItemButtons({ subject, inRow, without = [] }: ItemButtonsProps) {
  const fitting = actionsFor(subject).filter(({ id }) => !without.includes(id));
  const { kind, namespace, name } = subject;
  const where = namespace === "" ? "" : ` -n ${namespace}`;
  return (
    <div class="row end">
      {fitting
        .filter(({ id }) => inRow.includes(id))
        .map((action) => (
          <ActionButton key={action.id} action={action} subject={subject} />
        ))}
      <Menu label="More actions" icon="more" class="page-menu">
        {fitting
          .filter(({ id }) => !inRow.includes(id))
          .map((action) => (
            <ActionItem key={action.id} action={action} subject={subject} />
          ))}
        <MenuLine />
        <MenuItem href={paths.resource({ kind: kind.id, namespace, name })}>
          Open in the Explorer
        </MenuItem>
        <MenuItem onClick={() => void copyText(`kubectl get ${kind.id} ${name}${where} -o yaml`)}>
          Copy as kubectl
        </MenuItem>
      </Menu>
    </div>
  );
}
