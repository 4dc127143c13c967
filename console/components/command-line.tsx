import { Copy } from "../ui/copy.tsx";
import "./command-line.css";

/** A command to paste, of one line or several. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div class="command-line">
      <pre tabIndex={0} aria-label="Command">
        <code>{text}</code>
      </pre>
      <Copy text={text} label="Copy the command" />
    </div>
  );
}
