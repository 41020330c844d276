// Elements of the page, and numbers as text.

/** Return the text of an element that `_compress` of render.py wrote. */
async function unpack(id) {
  const encoded = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(encoded, (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Return an element; an attribute that is false, null or undefined is left out, as such a child is. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return a closed fold with a title. */
function folded(title, ...children) {
  return make("details", {}, make("summary", {}, title), ...children);
}

/** Return a selection of `[value, label]` pairs. */
function select(options, value) {
  const choices = options.map(([key, label]) => make("option", { value: String(key) }, label));
  const element = make("select", {}, ...choices);
  element.value = String(value);
  return element;
}

/** Round as Python does: a tie goes to the even digit. */
function fixed(value, digits) {
  const text = value.toFixed(digits);
  const isTie = value.toFixed(digits + 20).endsWith(`5${"0".repeat(19)}`);
  return Number(isTie && text.at(-1) % 2 ? (value * (1 - Number.EPSILON)).toFixed(digits) : text);
}

/** Return a score as `show_score` of cells.py does. */
function shown(value) {
  if (value === null || value === undefined) return "–";
  const number = fixed(value, 6);
  const size = Math.abs(number);
  const digits = size < 10 ? 3 : size < 1000 ? 1 : 0;
  return (fixed(number, digits) || 0).toLocaleString("en"); // no -0
}

function formatCount(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
