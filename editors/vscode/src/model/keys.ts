/** Which result the keys lead to; -1 is none. */

const PAGE = 10;

export function move(active: number, total: number, key: string): number | undefined {
  const last = total - 1;
  if (total === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, active + 1);
    case "ArrowUp":
      return Math.max(0, active - 1);
    case "PageDown":
      return Math.min(last, active + PAGE);
    case "PageUp":
      return Math.max(0, active - PAGE);
    default:
      return undefined;
  }
}
