// Fills the page of `braid compare --html` from the comparison's JSON, which stands in it.
'use strict';
(function () {
  const comparison = JSON.parse(document.getElementById('comparison').textContent);
  const modes = [
    { name: 'micro-batch', result: comparison.microBatch, color: '#d9480f' },
    { name: 'per-record', result: comparison.perRecord, color: '#1864ab' },
  ];
  const rowsListed = 1000;
  const kinds = ['matched', 'padded', 'retracted'];

  const count = (number) => number.toLocaleString('en-US');
  const seconds = (micros) => micros / 1e6;
  const secondsText = (micros) => seconds(micros).toLocaleString('en-US') + ' s';

  function add(parent, name, text, attributes) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    Object.assign(element, attributes);
    parent.appendChild(element);
    return element;
  }

  function fillFigures() {
    const table = document.getElementById('figures');
    const head = add(add(table, 'thead'), 'tr');
    add(head, 'th');
    modes.forEach((mode) => add(head, 'th', mode.name, { className: 'number' }));
    const body = add(table, 'tbody');
    const line = (name, id, figure) => {
      const row = add(body, 'tr');
      add(row, 'td', name);
      modes.forEach((mode) =>
        add(row, 'td', figure(mode.result), { className: 'number', id: id + '-' + mode.name }));
    };
    line('operator', 'operator', (result) => result.operator);
    line('rows read', 'read', (result) =>
      count(result.tables.reduce((sum, table) => sum + table.rows, 0)));
    line('rows dropped for being late', 'late', (result) => count(result.lateRows));
    line('rows written', 'written', (result) => count(result.outputRows));
    line('final rows', 'final', (result) => count(result.finalRows));
    line('of them in this mode only', 'only', (result) => count(result.only.count));
    line('most rows in state, of the moments plotted', 'peak', (result) =>
      count(result.samples.reduce((most, sample) => Math.max(most, sample.stateRows), 0)));
    line('most bytes in state', 'bytes', (result) => count(result.stateBytesMax));
    line('wall time', 'wall', (result) => secondsText(result.wallMicros));
    line('processor time', 'processor', (result) => secondsText(result.processorMicros));
    kinds.forEach((kind) => {
      if (modes.every((mode) => mode.result.delay[kind].rows === 0)) return;
      const figure = (member) => (result) =>
        result.delay[kind].rows === 0 ? '' : secondsText(result.delay[kind][member]);
      line('delay of ' + kind + ' rows, median', 'median-' + kind, figure('medianMicros'));
      line('99 %', 'percentile-' + kind, figure('percentile99Micros'));
      line('largest', 'maximum-' + kind, figure('maximumMicros'));
    });
  }

  // One line for each moment of either mode; what a mode does not say then is left open.
  function samplesOver(value) {
    const lines = [];
    modes.forEach((mode, index) => {
      mode.result.samples.forEach((sample) => {
        const figure = value(sample);
        if (sample.eventTimeMicros === null || figure === null) return;
        const line = [new Date(sample.eventTimeMicros / 1000), null, null];
        line[index + 1] = figure;
        lines.push(line);
      });
    });
    return lines.sort((first, second) => first[0] - second[0]);
  }

  function plot(id, lines, labels, options) {
    const place = document.getElementById(id);
    if (lines.length === 0) {
      place.textContent = 'There is nothing to plot.';
      place.style.height = 'auto';
      return;
    }
    const legend = document.createElement('div');
    place.before(legend);
    new Dygraph(place, lines, Object.assign({
      labelsDiv: legend,
      labels: labels,
      labelsUTC: true,
      connectSeparatedPoints: true,
      legend: 'always',
      includeZero: true,
      strokeWidth: 1.5,
      drawPoints: lines.length < 200,
    }, options));
  }

  function drawPlots() {
    const names = ['event time'].concat(modes.map((mode) => mode.name));
    const colors = modes.map((mode) => mode.color);
    plot('state-plot', samplesOver((sample) => sample.stateRows), names,
         { colors: colors, stepPlot: true });
    plot('watermark-plot', samplesOver((sample) =>
      sample.watermarkMillis === null ? null
        : seconds(sample.eventTimeMicros - sample.watermarkMillis * 1000)),
         names, { colors: colors, stepPlot: true });

    const series = [];
    kinds.forEach((kind) => modes.forEach((mode) => {
      const percentiles = mode.result.delay[kind].percentilesMicros;
      if (percentiles.length === 0) return;
      series.push({ label: kind + ', ' + mode.name, color: mode.color, percentiles: percentiles,
                    pattern: { matched: null, padded: [6, 3], retracted: [2, 2] }[kind] });
    }));
    const lines = series.length === 0 ? [] : series[0].percentiles.map((unused, percent) =>
      [percent].concat(series.map((one) => seconds(one.percentiles[percent]))));
    const patterns = {};
    series.forEach((one) => { patterns[one.label] = { strokePattern: one.pattern }; });
    plot('delay-plot', lines, ['%'].concat(series.map((one) => one.label)),
         { colors: series.map((one) => one.color), series: patterns, drawPoints: false });
  }

  function fillDifferences() {
    const place = document.getElementById('differences');
    modes.forEach((mode) => {
      const only = mode.result.only;
      if (only.count === 0) return;
      add(place, 'h2', 'Only in ' + mode.name + ' mode: ' + count(only.count));
      const reasons = add(place, 'table');
      Object.keys(only.byReason).forEach((reason) => {
        const line = add(reasons, 'tr');
        add(line, 'td', count(only.byReason[reason]), { className: 'number' });
        add(line, 'td', reason);
      });
      const rows = add(place, 'table');
      const head = add(add(rows, 'thead'), 'tr');
      comparison.columns.map((column) => column.name).concat(['kind', 'reason', 'came at'])
        .forEach((name) => add(head, 'th', name));
      const body = add(rows, 'tbody');
      only.rows.slice(0, rowsListed).forEach((row) => {
        const line = add(body, 'tr');
        row.values.concat([row.kind, row.reason, row.emittedAt || ''])
          .forEach((value) => add(line, 'td', value));
      });
    });
  }

  document.getElementById('verdict').textContent =
    'The final rows ' + (comparison.agree ? 'agree' : 'differ') + ': ' +
    count(comparison.equalRows) + (comparison.equalRows === 1 ? ' equal row' : ' equal rows');
  fillFigures();
  drawPlots();
  fillDifferences();
})();
