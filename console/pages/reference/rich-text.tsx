/** A description with `code` in it. Everything else stays text. */
export function RichText({ text }: { text: string }) {
  const parts = text.split(/(`[^`]+`)/);
  return (
    <>
      {parts.map((part, at) =>
        part.startsWith("`") && part.length > 1 ? (
          <code key={`${at} ${part}`}>{part.slice(1, -1)}</code>
        ) : (
          part
        ),
      )}
    </>
  );
}

export function Meaning({ description, rules }: { description: string; rules: string }) {
  return (
    <>
      <RichText text={description} />
      {description !== "" && rules !== "" && " "}
      {rules !== "" && <span class="small">({rules})</span>}
    </>
  );
}
