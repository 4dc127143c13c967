// The keys of the console. They are off in text fields, and can be turned off in the settings.

import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { runAction } from "../actions/run.ts";
import { actionsFor } from "../actions/table.ts";
import { navigate } from "../router/location.ts";
import { hasKeys } from "../settings/settings.ts";
import { sections } from "../routes.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { openPalette, paletteOpen } from "./palette.tsx";
import { selected } from "./selected.ts";

const chordMs = 1_500;

export function Shortcuts() {
  const isHelpOpen = useSignal(false);
  useEffect(() => {
    let chordAt = 0;
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (isIgnored(event)) return;
      const isChord = Date.now() - chordAt < chordMs;
      chordAt = 0;
      if (event.key === "g") chordAt = Date.now();
      else if (isChord) openSection(event.key);
      else if (event.key === "?") isHelpOpen.value = true;
      else if (event.key === "/") focusFilter(event);
      else if (event.key === ".") openFirst(".page-menu button", event);
      else if (/^[1-9]$/.test(event.key)) openTab(Number(event.key));
      else performKey(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return isHelpOpen.value ? (
    <KeyHelp
      onClose={() => {
        isHelpOpen.value = false;
      }}
    />
  ) : null;
}

function isIgnored(event: KeyboardEvent): boolean {
  const { target, ctrlKey, metaKey, altKey } = event;
  if (hasKeys.value === "off" || event.defaultPrevented) return true;
  if (ctrlKey || metaKey || altKey) return true;
  if (paletteOpen.value || document.querySelector("dialog[open]") !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches("input, textarea, select, [contenteditable], .yaml-editor, [role='tree'] *")
  );
}

function openSection(key: string): void {
  const section = sections.find((each) => each.key === key);
  if (section !== undefined) navigate(section.href);
}

function focusFilter(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>("[data-filter]");
  if (field === null) openPalette();
  else field.focus();
  event.preventDefault();
}

function openFirst(selector: string, event: KeyboardEvent): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) return;
  event.preventDefault();
  found.click();
}

function openTab(number: number): void {
  const tabs = document.querySelectorAll<HTMLAnchorElement>("main .tabs a");
  tabs[number - 1]?.click();
}

/** Capital letters of the table, pressed without Shift as well. */
function performKey(event: KeyboardEvent): void {
  const subject = selected.value;
  if (subject === undefined || event.repeat) return;
  const action = actionsFor(subject).find(({ key }) => key === event.key.toUpperCase());
  if (action === undefined) return;
  event.preventDefault();
  void runAction(action, [subject]);
}

const help = [
  ["Ctrl K", "Search or run a command"],
  ["/", "Filter the list"],
  ["g, then a letter", "Open a page: o Overview, x Explorer, …"],
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["Space", "Select the row"],
  ["1 to 6", "Tabs of a page"],
  [".", "More actions"],
  ["R", "Reconcile now"],
  ["E", "Edit YAML"],
  ["P", "Pause or resume"],
  ["?", "This list"],
] as const;

function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="table">
        <tbody>
          {help.map(([key, what]) => (
            <tr key={key}>
              <td class="nowrap">
                <kbd>{key}</kbd>
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">The settings turn the keys off.</p>
    </Dialog>
  );
}
