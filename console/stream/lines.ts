// A stream of bytes as the JSON documents of its lines.

export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = (await reader.read()) as { value?: string; done: boolean };
      if (done) break;
      const lines = (rest + (value ?? "")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (rest.trim() !== "") yield JSON.parse(rest);
}
