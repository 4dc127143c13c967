import { actionsFor } from "../../actions/table.ts";
import type { KindInfo } from "../../api/kinds.ts";
import type { Row } from "../../api/types.ts";
import { ActionItem } from "../../components/action-button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { subjectOf } from "./row-subject.ts";

export function RowMenu({ kind, row }: { kind: KindInfo; row: Row }) {
  const subject = subjectOf(kind, row);
  return (
    <Menu label={`Actions for ${row.name}`} icon="more" look="quiet">
      {actionsFor(subject).map((action) => (
        <ActionItem key={action.id} action={action} subject={subject} />
      ))}
      <MenuLine />
      <MenuItem onClick={() => void copyText(row.name)}>Copy the name</MenuItem>
    </Menu>
  );
}
