// Search and commands in one field: actions of the resource on the page, pages, kinds, and what the
// server finds.

import { signal as createSignal, useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { runAction } from "../actions/run.ts";
import { actionsFor, whyOff } from "../actions/table.ts";
import { titleOf } from "../actions/action.ts";
import { kindNamed, kinds } from "../api/kinds.ts";
import { navigate } from "../router/location.ts";
import { sections } from "../routes.tsx";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import type { ShapeName } from "../ui/shapes.ts";
import { copyText } from "../ui/copy.tsx";
import { lookOf } from "../states/states.ts";
import { useSearch } from "./palette-search.ts";
import type { FoundResource, Search } from "./palette-search.ts";
import { selected } from "./selected.ts";
import "./palette.css";

export const paletteOpen = createSignal(false);

export function openPalette(): void {
  paletteOpen.value = true;
}

export function Palette() {
  return paletteOpen.value ? <OpenPalette /> : null;
}

interface Entry {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: ShapeName;
  readonly off?: string | undefined;
  readonly run: () => void;
}

function OpenPalette() {
  const text = useSignal("");
  const active = useSignal(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  const search = useSearch(text.value);
  const found = (search.items ?? []).map(resourceEntry);
  const entries = [...localEntries(text.value), ...found];
  const at = Math.min(active.value, entries.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined || entry.off !== undefined) return;
    close();
    entry.run();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Enter") run(entries[at]);
    else if (event.key === "ArrowDown") active.value = Math.min(at + 1, entries.length - 1);
    else if (event.key === "ArrowUp") active.value = Math.max(at - 1, 0);
    else return;
    event.preventDefault();
    document.querySelector(`#palette-${active.value}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or run a command"
      onCancel={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] === undefined ? undefined : `palette-${at}`}
        placeholder="A name, kind:, state:, a page or an action"
        autoComplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <Results entries={entries} active={active} search={search} onRun={run} />
    </dialog>
  );
}

function close(): void {
  paletteOpen.value = false;
}

interface ResultsProps {
  readonly entries: readonly Entry[];
  readonly active: Signal<number>;
  readonly search: Search;
  readonly onRun: (entry: Entry) => void;
}

function Results({ entries, active, search, onRun }: ResultsProps) {
  const at = Math.min(active.value, entries.length - 1);
  return (
    <>
      <ul id="palette-list" class="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            class="palette-entry"
            aria-selected={index === at}
            aria-disabled={entry.off === undefined ? undefined : "true"}
            onPointerMove={() => {
              active.value = index;
            }}
            onClick={() => onRun(entry)}
          >
            {entry.group !== entries[index - 1]?.group && (
              <span class="palette-group">{entry.group}</span>
            )}
            <Icon name={entry.icon} />
            <span class="clip">{entry.label}</span>
            <span class="muted small clip palette-note">{entry.off ?? entry.note}</span>
          </li>
        ))}
      </ul>
      <p class="muted palette-none" role="status">
        {endText(search, entries.length)}
      </p>
    </>
  );
}

/** What the entries do not say. */
function endText({ note, error, isLoading }: Search, entries: number): string {
  if (error !== undefined) return `Resources could not be searched: ${error.message}`;
  if (isLoading) return "Searching resources.";
  return note ?? (entries === 0 ? "Nothing found." : "");
}

const mostKinds = 8;

function localEntries(text: string): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  const fits = (label: string): boolean => label.toLowerCase().includes(wanted);
  return [
    ...actionEntries().filter(({ label }) => fits(label)),
    ...sections
      .filter(({ label, kind }) => fits(label) && (kind === undefined || kindNamed(kind)))
      .map(({ id, label, icon, href, key }) => ({
        id: `page ${id}`,
        group: "Pages",
        label,
        note: `g ${key}`,
        icon,
        run: () => navigate(href),
      })),
    ...(wanted === "" ? [] : kindEntries(fits)),
  ];
}

function kindEntries(fits: (label: string) => boolean): readonly Entry[] {
  return (kinds.value ?? [])
    .filter(({ id, kind }) => fits(id) || fits(kind))
    .slice(0, mostKinds)
    .map(({ id, kind }) => ({
      id: `kind ${id}`,
      group: "Kinds",
      label: kind,
      note: id,
      icon: "explorer" as const,
      run: () => navigate(paths.kind(id)),
    }));
}

function actionEntries(): readonly Entry[] {
  const subject = selected.value;
  if (subject === undefined) return [];
  const title = titleOf(subject);
  return actionsFor(subject).flatMap((action): Entry[] => [
    {
      id: `action ${action.id}`,
      group: title,
      label: action.label,
      icon: "right",
      off: whyOff(action, subject),
      ...(action.key === undefined ? {} : { note: action.key }),
      run: () => void runAction(action, [subject]),
    },
    {
      id: `copy ${action.id}`,
      group: title,
      label: `Copy the command: ${action.label}`,
      note: action.command(subject),
      icon: "copy",
      run: () => void copyText(action.command(subject)),
    },
  ]);
}

function resourceEntry({ kind, kindName, namespace = "", name, uid, state }: FoundResource): Entry {
  return {
    id: `row ${uid}`,
    group: "Resources",
    label: `${kindName}/${name}`,
    note: namespace,
    icon: lookOf(state).tone,
    run: () => navigate(paths.resource({ kind, namespace, name })),
  };
}
