// CodeMirror for YAML, in a shadow root: its styles are then style sheets of objects, which the
// Content-Security-Policy allows.

import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import type { Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Proposal, Schemas } from "./schema.ts";
import { yamlPlace } from "./yaml-place.ts";

export interface EditorOptions {
  readonly host: HTMLElement;
  readonly label: string;
  readonly text: string;
  readonly schemas: () => Schemas | undefined;
  readonly onChange: (text: string) => void;
  readonly onApply: () => void;
}

export interface Editor extends Disposable {
  text(): string;
  /** Replaces the text as an edit, which can be undone. */
  setText(text: string): void;
  mark(spots: readonly Mark[]): void;
  show(from: number): void;
  showLine(line: number): void;
}

export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", minHeight: "320px" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-gutters": {
    // CodeMirror sets the height of the text as a style of the element.
    minHeight: "320px !important",
    backgroundColor: "var(--bg)",
    color: "var(--muted)",
    borderRight: "1px solid var(--border)",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in oklab, var(--sunken) 55%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--accent-tint)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--waiting-tint)" },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    border: "1px solid var(--border)",
    borderRadius: "var(--radius)",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "240px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "4px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-tint)",
    color: "var(--text)",
  },
  ".cm-completionInfo": { padding: "8px 12px", fontFamily: "var(--sans)", maxWidth: "320px" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "12px" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--failed)", padding: "6px 10px" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--failed)",
    textUnderlineOffset: "3px",
  },
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    border: "1px solid var(--border-strong)",
    borderRadius: "var(--radius-small)",
    color: "var(--text)",
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ready)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--progressing)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "var(--muted)" },
]);

export function createEditor(options: EditorOptions): Editor {
  const { host, label, text, schemas, onChange, onApply } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        yaml(),
        syntaxHighlighting(colours),
        theme,
        EditorState.tabSize.of(2),
        autocompletion({ override: [(context) => complete(context, schemas())], icons: false }),
        keymap.of([
          { key: "Mod-Enter", run: () => (onApply(), true) },
          ...completionKeymap,
          ...searchKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        // Without the index, axe does not take the text for something that a key can scroll.
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return editorOf(view);
}

function editorOf(view: EditorView): Editor {
  const show = (from: number): void => {
    const at = Math.min(from, view.state.doc.length);
    view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
    view.focus();
  };
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    mark: (spots) => {
      const diagnostics = spots.map(({ from, to, message }): Diagnostic => ({
        from,
        to,
        severity: "error",
        message,
      }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    show,
    showLine: (line) => {
      const { lines } = view.state.doc;
      show(view.state.doc.line(Math.max(1, Math.min(line, lines))).from);
    },
    [Symbol.dispose]: () => view.destroy(),
  };
}

/** The fields and values that the schema of the kind knows. */
function complete(
  context: CompletionContext,
  schemas: Schemas | undefined,
): CompletionResult | null {
  if (schemas === undefined) return null;
  const before = context.state.sliceDoc(0, context.pos);
  const { path, field, written } = yamlPlace(before);
  if (!context.explicit && written === "" && field === undefined) return null;
  const from = context.pos - written.length;
  if (field !== undefined) {
    const values = schemas.values([...path, field]);
    return values.length === 0 ? null : { from, options: values.map((label) => ({ label })) };
  }
  const fields = schemas.fields(path);
  if (fields.length === 0) return null;
  return {
    from,
    validFor: /^[\w-]*$/,
    options: fields.map((each) => completionOf(each, columnOf(before, written))),
  };
}

function completionOf(
  { name, type, description, isRequired }: Proposal,
  column: number,
): Completion {
  const completion: Completion = {
    label: name,
    detail: isRequired ? `${type}, required` : type,
    apply: type === "object" ? `${name}:\n${" ".repeat(column + 2)}` : `${name}: `,
  };
  if (description !== "") completion.info = description;
  return completion;
}

function columnOf(before: string, written: string): number {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return line.length - written.length;
}
