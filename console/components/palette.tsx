// Search and commands in one field: actions of the resource on the page, pages, kinds, and what the
// server finds.

import { signal as createSignal, useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { runAction } from "../actions/run.ts";
import { actionsFor, whyOff } from "../actions/table.ts";
import { titleOf } from "../actions/action.ts";
import { insight } from "../api/insight.ts";
import { findKind, kindNamed, kinds } from "../api/kinds.ts";
import { useQuery } from "../query/query.ts";
import { navigate } from "../router/location.ts";
import { sections } from "../routes.tsx";
import { paths } from "../paths.ts";
import { Icon } from "../ui/icon.tsx";
import type { ShapeName } from "../ui/shapes.ts";
import { copyText } from "../ui/copy.tsx";
import { lookOf } from "../states/states.ts";
import { parseWords } from "./palette-words.ts";
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
  const found = useResources(text.value);
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
      <Results entries={entries} active={active} onRun={run} />
    </dialog>
  );
}

function close(): void {
  paletteOpen.value = false;
}

interface ResultsProps {
  readonly entries: readonly Entry[];
  readonly active: Signal<number>;
  readonly onRun: (entry: Entry) => void;
}

function Results({ entries, active, onRun }: ResultsProps) {
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
      {entries.length === 0 && <p class="muted palette-none">Nothing found.</p>}
    </>
  );
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

const mostFound = 8;
const usualKinds = 4;

/** Resources by name: of the kind that was named, or of the kinds with the most resources. */
function useResources(text: string): readonly Entry[] {
  const words = parseWords(text);
  const isSearch = words.name.length > 1 || words.kind !== undefined;
  const { data } = useQuery(isSearch ? `palette ${text}` : undefined, async (signal) => {
    const named = words.kind === undefined ? undefined : findKind(words.kind);
    const ids = named === undefined ? await largestKinds(signal) : [named.id];
    const filter = [
      ...(words.name === "" ? [] : [`name~${JSON.stringify(words.name)}`]),
      ...(words.state === undefined ? [] : [`state=${words.state}`]),
    ].join(",");
    const namespace = words.namespace === undefined ? {} : { namespace: words.namespace };
    const pages = await Promise.all(
      ids.map(async (kind) => {
        return await insight.rows({ kind, filter, limit: mostFound, ...namespace }, signal);
      }),
    );
    return pages;
  });
  return (data ?? []).flatMap(({ kind, items }) =>
    items.map((row) => {
      const { namespace = "", name, state } = row;
      const title = kindNamed(kind)?.kind ?? kind;
      return {
        id: `row ${row.uid}`,
        group: "Resources",
        label: `${title}/${name}`,
        note: namespace,
        icon: lookOf(state).tone,
        run: () => navigate(paths.resource({ kind, namespace, name })),
      };
    }),
  );
}

async function largestKinds(signal: AbortSignal): Promise<readonly string[]> {
  const counts = await insight.counts({}, signal);
  return [...counts.kinds]
    .sort((one, other) => other.total - one.total)
    .slice(0, usualKinds)
    .map(({ kind }) => kind);
}
