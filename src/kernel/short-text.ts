// Texts for people that quote what others have sent, which may be a megabyte. Its beginning says
// what it is about and its end what was wanted, so it is the middle that is left out.

/** At most so many units of UTF-16, and no half of a pair. */
export function shortText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.floor((maxChars - gap.length) / 4);
  const start = maxChars - gap.length - end;
  return `${text.slice(0, start)}${gap}${text.slice(-end)}`.toWellFormed();
}

const gap = " ... ";
