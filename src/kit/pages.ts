/** Capacity of one page. A group of elements that exceeds it gets a page of its own. */
interface PageRoom {
  /** Maximum size of the elements as JSON, in UTF-16 units. */
  readonly units: number;
  /** Maximum number of elements. */
  readonly elements: number;
}

/** Distributes groups of elements, in order, over as few pages as possible. The elements of a group stay together. */
export function inPages<Element>(
  pieces: readonly (readonly Element[])[],
  room: PageRoom,
): readonly (readonly Element[])[] {
  const pages: Element[][] = [];
  let units = 0;
  for (const piece of pieces) {
    const size = JSON.stringify(piece).length;
    const last = pages.at(-1);
    if (last === undefined || last.length + piece.length > room.elements || units + size > room.units) {
      pages.push([...piece]);
      units = size;
    } else {
      last.push(...piece);
      units += size;
    }
  }
  return pages;
}
