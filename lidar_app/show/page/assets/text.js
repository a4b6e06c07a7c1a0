// Elements of the page, and numbers as text. Names from files only ever become text, never markup.

const byId = (id) => document.getElementById(id);

/** Return a new element with properties and children (elements or text). */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Return a number with as many decimals as its step has; none of its digits is made up. */
function formatted(value, step) {
  if (value === null || Number.isNaN(value)) return "none";
  const decimals = step >= 1 || !(step > 0) ? 0 : Math.ceil(-Math.log10(step) - 1e-9);
  return decimals > 12 ? value.toPrecision(6) : value.toFixed(decimals);
}

/** Return a number in four digits, for legends. */
function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** Return a count with thin spaces between thousands. */
const counted = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u2009");

/** Return a length in the unit that suits it. */
function asLength(metres) {
  if (metres < 0.1) return `${short(metres * 1000)} mm`;
  return `${short(metres)} m`;
}
