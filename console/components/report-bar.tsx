import { useEffect } from "preact/hooks";
import { report } from "../actions/question.ts";
import { ApiError } from "../api/errors.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { sentence } from "../ui/notice.tsx";
import "./report-bar.css";

const shownMs = 6_000;

/** The result of the last action. A failure stays until it is closed. */
export function ReportBar() {
  const shown = report.value;
  useEffect(() => {
    if (shown?.kind !== "done") return undefined;
    const timer = setTimeout(() => {
      report.value = undefined;
    }, shownMs);
    return () => clearTimeout(timer);
  }, [shown]);
  const suggestion = shown?.error instanceof ApiError ? shown.error.suggestion : undefined;
  return (
    <div class="report-place" role="status" aria-live="polite">
      {shown !== undefined && (
        <div class="report">
          <span class={shown.kind === "done" ? "t-ready" : "t-failed"}>
            <Icon name={shown.kind === "done" ? "ready" : "failed"} />
          </span>
          <p>
            {sentence(shown.text)} {suggestion !== undefined && sentence(suggestion)}
          </p>
          <Button
            icon="close"
            label="Close"
            look="quiet"
            onClick={() => {
              report.value = undefined;
            }}
          />
        </div>
      )}
    </div>
  );
}
