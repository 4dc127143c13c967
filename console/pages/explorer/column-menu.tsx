import type { RowColumn } from "../../api/types.ts";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { usualColumns } from "./row-columns.tsx";

interface ColumnMenuProps {
  readonly columns: readonly RowColumn[];
  readonly shown: string | null;
  readonly onChange: (shown: string | undefined) => void;
}

export function ColumnMenu({ columns, shown, onChange }: ColumnMenuProps) {
  if (columns.length === 0) return null;
  const usual = usualColumns(columns);
  const keys = shown === null ? usual : shown.split(",");
  const toggle = (key: string): void => {
    const next = columns
      .map((column) => column.key)
      .filter((each) => (each === key ? !keys.includes(each) : keys.includes(each)));
    const isUsual = next.join(",") === usual.join(",");
    onChange(isUsual ? undefined : next.join(",") || "none");
  };
  return (
    <Menu label="Columns" icon="columns" button="Columns" class="wide-only">
      {columns.map(({ key, title }) => (
        <MenuItem key={key} isChosen={keys.includes(key)} onClick={() => toggle(key)}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}
