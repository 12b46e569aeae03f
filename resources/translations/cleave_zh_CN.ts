<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>cleave::Main</name>
    <message>
        <source>Visual splitting of graph neural networks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Print the versions of Cleave, LibTorch, Qt and Graphviz.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours: system, light, dark or high-contrast.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language of the window: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What an input or parameter of the model is (node-features, graph-structure, edge-features, other), instead of the guess; may be repeated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model file (.pt2).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graph file (.npz).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::BatchCurve</name>
    <message>
        <source>Cost over batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batches of %1: %2, at most %3 of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least %1 at %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click to run in batches of this size</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::CodePanel</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model to see its functions as Python.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::CostBars</name>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read for rows of blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read for own rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compute for rows of blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compute for own rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for rows of blocks</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Description</name>
    <message>
        <source>%1 edges: %2 nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2 edges: %3 nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>degrees 0, 1, 2, 4, …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>put linear layers before aggregations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add up linear layers of one input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>merge linear layers of one input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fold batch norms into linear layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather equal rows once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 ×</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>functions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>message degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>node types</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clean-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing to remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewrites</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, built in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V, nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>M, edges</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in-degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean, median</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>training nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>test nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>node features</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edge features</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Document</name>
    <message>
        <source>Opening %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify compares with the outputs in %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan is the same as that in %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan written to %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking the cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewriting %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program is as it was traced: no rewrite applies.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rewrites: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running layer-wise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer-wise run finished in %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verified: the cut model gives the same answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verified: the cut model gives different answers.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::FindBar</name>
    <message>
        <source>Name of an operator, a tensor or a module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphPicture</name>
    <message>
        <source>Prologue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>like function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>like functions %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphScene</name>
    <message>
        <source>Prologue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>once, on the whole graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>message degrees %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over all nodes at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>message degree %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nodes: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n save point(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>of %1 node types</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 × V %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 × V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphView</name>
    <message>
        <source>Graph of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n band(s) are drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Show every layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the %1 layers that repeat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move cut %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspection</name>
    <message>
        <source>constant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>node rows (V)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edge rows (M)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>once for the graph (G)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>constant, computed when opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>once on the whole graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>row by row, found by running it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>row by row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather from neighbours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather at the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scatter into node rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows after each other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over all nodes at once, between functions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the prologue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operator in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>works</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>message degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows · entries of a row · bytes of an entry, for the whole graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost in this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted; what message passing does on edges counts for its scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Module in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Functions %1 to %2, each like function %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Functions %1 to %2, which repeat functions %3 to %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of each repetition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computed once, on the whole graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read by functions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save point</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes per row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the caller</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, handed on without a copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 = %2 rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Functions %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspector</name>
    <message>
        <source>Properties of the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a box, or press Tab or an arrow key in the graph.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Job</name>
    <message>
        <source>There is not enough memory for this; use a smaller batch size or close other programs.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Legend</name>
    <message>
        <source>Legend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours show the message degree, outlines what rows a box works on: V nodes round and blue, M edges dotted, G what is there once for the graph dashed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V: node rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>M: edge rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G: once for the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reads structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::MainWindow</name>
    <message>
        <source>&lt;div style=&apos;font-size:xx-large&apos;&gt;Drop a model here&lt;/div&gt;&lt;p&gt;or open one with &lt;b&gt;Ctrl+O&lt;/b&gt;: a file that &lt;code&gt;torch.export.save&lt;/code&gt; wrote (.pt2).&lt;/p&gt;&lt;p&gt;Then open a graph (.npz) with &lt;b&gt;Ctrl+G&lt;/b&gt; to run the model on it.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Why layer-wise inference works</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Cleave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut at message degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Story</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.pt2);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;graph…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+G</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graphs (*.npz);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Zachary&apos;s &amp;karate club</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open expected &amp;outputs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open expected outputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrays (*.npz);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outputs recorded elsewhere: arrays named expected, or expected_0, expected_1, …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans (*.cleave.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export plan as P&amp;ython…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+Z</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Y</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Compare with a plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run &amp;layer-wise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Random &amp;features where the graph has none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;100 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Expand all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+E</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Collapse all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F&amp;ind…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold &amp;repeated layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S&amp;tructure arrows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift++</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Shift+-</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Presenter view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F11</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--rewrite %1 on the command line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;None: the program as it was traced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.svg *.pdf *.png);;Graphviz (*.dot);;Report (*.html);;Table of costs (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for the Python package</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python package written to %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans (*.cleave.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan not saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan of %1 was changed and is not saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan of %1, changed %2, was not saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Cleave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;Cleave %1&lt;/b&gt;&lt;p&gt;Visual splitting of graph neural networks.&lt;/p&gt;&lt;p&gt;LibTorch %2, Qt %3, Graphviz %4&lt;/p&gt;&lt;p&gt;MIT licence.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cleave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1[*] – Cleave</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::ModelPanel</name>
    <message>
        <source>Absolute tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Equal: |a − b| ≤ absolute + relative · |b|</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run layer-wise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target nodes of one batch; 0 lets Cleave choose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Node order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The order in which batches take the nodes: neighbours near each other make smaller blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As in the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most edges first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Breadth first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clusters (METIS)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the cut model function by function over one-hop blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the whole model and the cut one and compare their answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expected outputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanCosts</name>
    <message>
        <source>Counting rows of blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Planning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing batch sizes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanDrag</name>
    <message>
        <source>
%1 → %2
%3 → %4 read and written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✗ %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>, with %n other op(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Move cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut %1 saves %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanEditor</name>
    <message>
        <source>Open the plan %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 here, %3 in %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move %1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save %1 at cut %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not save %1 at cut %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, with %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin %1 to function %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep %1 and %2 together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let %1 go its own way</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>before message passing %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global, before %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of an output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Function %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMarks</name>
    <message>
        <source>pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>together %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 saved at cut %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 ops moved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMenu</name>
    <message>
        <source>Move %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not save at cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save at cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin to function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep together with %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let it go its own way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stays in its function, whatever the plan</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanPanel</name>
    <message>
        <source>at most %1 of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost of plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double-click a plan to take it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cost of each function</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut right before each message passing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take save points that lower the total, one after the other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The least predicted seconds of all legal plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs are hidden until you ask for them in the story.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted for batches of %1 nodes: %2 read, %3 written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counting the rows of blocks on the graph…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a graph to see what plans cost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the plan “%1”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyModel</name>
    <message>
        <source>Property</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyView</name>
    <message>
        <source>Copy value</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Report</name>
    <message>
        <source>This plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>function</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, cut by Cleave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Functions of this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verification</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultModels</name>
    <message>
        <source>Function</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batches that it ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target rows computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nodes of all blocks, each counted once per block that needs it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edges</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edges of all blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cutting blocks and slicing structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running the operators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Storing save points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Total</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prepare, compute and write together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Total by the cost model. Rates: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Total by the cost model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes written to the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Function %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest absolute difference of an element</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same relative to the largest element</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows with an element over tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✓ equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✗ different</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of these nodes whose largest output is their label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultPanel</name>
    <message>
        <source>Messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Functions of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Differences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a graph to run the model on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has been run yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify runs the whole model and the cut one and compares their answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer-wise with batches of %1 nodes: %2, of which %3 for the prologue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> At most %1 of tensors at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RANDOM NUMBERS in place of %1, which the graph does not have.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>absolute %1, relative %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✓ Equal: the cut model gives the same answers within tolerance (%1), at a batch size of %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>✗ Different: rows are over tolerance (%1), at a batch size of %2.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Ruler</name>
    <message>
        <source>Bands of the model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::SavePointModel</name>
    <message>
        <source>%1 × V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 written in %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2, handed on without a copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read at the %1 targets of %2: %3 in %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read for the %1 nodes of blocks of %2: %3 in %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read along the %1 edges of %2: %3 in %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It cannot be left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without it the plan takes %1 instead of %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save point</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write and read</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::SettingsDialog</name>
    <message>
        <source>Open the last model and graph at &amp;start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the desktop (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kB, MB, GB: powers of 1000</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KiB, MiB, GiB: powers of 1024</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> pt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Bytes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Story</name>
    <message>
        <source>The work, layer by layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch by batch, every further layer makes the needed neighbourhood larger, until each batch computes nearly the whole club again. Layer by layer, every further layer adds the same: each member once. The answers are the same rows, computed from the same rows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your turn: where would you cut?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Between two message passings there are other operations: linear layers, activations, normalisation. A cut may lie before or after them. What is saved is written once and read back; what runs after the cut, before the message passing, is computed for every row of a block, often more than once. Drag the lines of the cuts in the model, or the operations themselves, to where you think the whole takes least time. Costs are hidden until you ask.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A club and its friendships</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are the %1 members of a karate club; a line joins two friends. A graph neural network knows a row of numbers about each member, and shall give an answer for each: say, whom they follow when the club splits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One layer: ask your friends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A layer computes a new row for a member from the rows of the member&apos;s friends: it passes messages along the lines, and adds them up. For member %1 it reads %2 rows: the friend&apos;s and the member&apos;s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers: friends of friends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With %1 layers, the friends&apos; rows must have been computed from their friends&apos; rows first. For this one member, the rows of %2 of all %3 members are needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Node by node: the same rows again and again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The usual way takes some members at a time, here %1, and computes all that their answers need, through all %2 layers: for this batch the rows of %3 members in the layer before the last. The next batch needs most of them once more, and nothing of them was kept. For the whole club that is %4 rows to compute, for %5 that differ.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The idea: cut between the layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No row is computed twice, and a batch never needs more than its direct friends. The lines between the functions of the model are these cuts; what lies on them is saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Function %1, batch %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads the features of %1 members, computes the first layer&apos;s rows of %2, and saves them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads the saved rows of %1 members from the store of function %2, computes %3 rows of layer %4, and saves them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now the store of function %1 is full, and the one before it is not needed any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are the answers of the whole network, for everybody.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryCanvas</name>
    <message>
        <source>Data graph of the story</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>thick: computed · ringed: read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>store %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows computed for everybody, in batches of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hatched: node by node · plain: layer by layer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryView</name>
    <message>
        <source>&amp;Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Reveal the costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the &amp;optimum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step of the story</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the optimum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model and a graph first: costs are those of a real graph.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yours: %1. Right before each message passing: %2. The best there is: %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You have found it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are %1 % above it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cleave::views::Text</name>
    <message>
        <source>%1 %2</source>
        <comment>a number and its unit</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
