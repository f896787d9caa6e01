/**
 * Returns a function that makes the anchors of one page's headings as GitHub makes them, so that a
 * link is valid on the site and on GitHub. Equal headings get a number.
 */
export function anchorMaker(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
